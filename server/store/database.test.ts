import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { integrityProblems, openDatabase, setAsideDatabase } from './database.ts';
import { getMeta, setMeta } from './meta.ts';
import { MIGRATIONS } from './migrations.ts';
import type { Database } from './sqlite.ts';
import { tempDir } from './testing/temp-dir.ts';
import { transaction } from './transaction.ts';

const PAGE_BYTES = 4096;

async function opened(file: string, migrations?: readonly string[]): Promise<Database> {
  const db = await openDatabase(file, migrations === undefined ? {} : { migrations });
  onTestFinished(() => {
    try {
      db.close();
    } catch {
      // closed by the test itself
    }
  });
  return db;
}

async function filled(file: string): Promise<void> {
  const db = await openDatabase(file);
  transaction(db, () => {
    for (let row = 0; row < 500; row += 1) setMeta(db, `key ${row}`, 'x'.repeat(300));
  });
  db.close();
}

function damage(file: string, page: number): void {
  const fd = openSync(file, 'r+');
  writeSync(fd, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, page * PAGE_BYTES);
  closeSync(fd);
}

/** A database as a killed process leaves it: with committed changes that are in the log only. */
function killedWhileWriting(file: string): void {
  const script = `
    import { openDatabase } from ${JSON.stringify(path.join(import.meta.dirname, 'database.ts'))};
    import { setMeta } from ${JSON.stringify(path.join(import.meta.dirname, 'meta.ts'))};
    const db = await openDatabase(${JSON.stringify(file)});
    db.exec('BEGIN');
    for (let row = 0; row < 500; row += 1) setMeta(db, 'key ' + row, 'x'.repeat(300));
    db.exec('COMMIT');
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    setMeta(db, 'last', 'committed');
    process.kill(process.pid, 'SIGKILL');
  `;
  try {
    execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { stdio: 'inherit' });
  } catch (error) {
    expect(error).toMatchObject({ signal: 'SIGKILL' });
  }
}

function pragma(db: Database, name: string): unknown {
  return Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

describe('openDatabase', () => {
  it('makes a database that is durable and strict about its keys', async () => {
    const db = await opened(path.join(tempDir(), 'forge.db'));
    expect(pragma(db, 'journal_mode')).toBe('wal');
    expect(pragma(db, 'synchronous')).toBe(2);
    expect(pragma(db, 'foreign_keys')).toBe(1);
    expect(pragma(db, 'busy_timeout')).toBe(5000);
    expect(pragma(db, 'user_version')).toBe(MIGRATIONS.length);
  });

  it('has the tables, all of them strict', async () => {
    const db = await opened(path.join(tempDir(), 'forge.db'));
    const tables = db.prepare("SELECT name, strict FROM pragma_table_list WHERE schema = 'main' ORDER BY name").all();
    const own = tables.filter((table) => !String(table['name']).startsWith('sqlite_'));
    expect(own.map((table) => table['name'])).toEqual([
      'accepted_claims',
      'accepted_definitions',
      'allowed_hosts',
      'approvals',
      'browsers',
      'call_log_keys',
      'calls',
      'connector_health',
      'events',
      'gateway_registry',
      'installations',
      'managing_browsers',
      'mcp_clients',
      'message_parts',
      'messages',
      'meta',
      'model_prices',
      'open_calls',
      'page_session_keys',
      'page_sessions',
      'parsed_manifests',
      'pending_changes',
      'registry_cache',
      'report_deliveries',
      'reports',
      'sessions',
      'settings',
      'sites_read',
      'ssh_known_hosts',
      'standing_approvals',
      'step_results',
      'tasks',
      'telegram_links',
      'token_events',
      'tool_modes',
      'watch_polls',
      'watches',
    ]);
    expect(own.every((table) => table['strict'] === 1)).toBe(true);
  });

  it('keeps what was written', async () => {
    const file = path.join(tempDir(), 'forge.db');
    const first = await opened(file);
    setMeta(first, 'colour', 'blue');
    setMeta(first, 'colour', 'green');
    setMeta(first, 'gone', 'soon');
    setMeta(first, 'gone', null);
    first.close();
    const second = await opened(file);
    expect(getMeta(second, 'colour')).toBe('green');
    expect(getMeta(second, 'gone')).toBeNull();
  });

  it('has committed changes after the process was killed', async () => {
    const file = path.join(tempDir(), 'forge.db');
    killedWhileWriting(file);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    expect(getMeta(await opened(file), 'last')).toBe('committed');
  });

  it('C-113 lets only the owner read the file, its log and its index', async () => {
    const file = path.join(tempDir(), 'forge.db');
    const db = await opened(file);
    setMeta(db, 'a', 'b');
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(name).mode & 0o777, name).toBe(0o600);
    db.close();
    chmodSync(file, 0o644);
    await opened(file);
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(name).mode & 0o777, name).toBe(0o600);
  });

  it('leaves a file that is complete without its log when it is closed', async () => {
    const folder = tempDir();
    const db = await opened(path.join(folder, 'forge.db'));
    setMeta(db, 'colour', 'blue');
    db.close();
    copyFileSync(path.join(folder, 'forge.db'), path.join(folder, 'copy.db'));
    expect(getMeta(await opened(path.join(folder, 'copy.db')), 'colour')).toBe('blue');
  });

  it('makes only the missing migrations, all of them or none', async () => {
    const file = path.join(tempDir(), 'forge.db');
    const steps = ['CREATE TABLE a (x TEXT) STRICT', 'CREATE TABLE b (x TEXT) STRICT'];
    (await opened(file, steps.slice(0, 1))).close();
    await expect(openDatabase(file, { migrations: [...steps, 'CREATE TABLE a (x TEXT) STRICT'] })).rejects.toThrow(
      'already',
    );
    const db = await opened(file, steps.slice(0, 1));
    expect(pragma(db, 'user_version')).toBe(1);
    expect(db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'b'").get()).toEqual({ n: 0 });
    db.close();
    expect(pragma(await opened(file, steps), 'user_version')).toBe(2);
  });

  it('refuses a database of a newer Forge and leaves it as it was', async () => {
    const file = path.join(tempDir(), 'forge.db');
    (await opened(file, [...MIGRATIONS, 'CREATE TABLE newer (x TEXT) STRICT'])).close();
    const before = readFileSync(file);
    await expect(openDatabase(file)).rejects.toMatchObject({ code: 'store_too_new' });
    expect(readFileSync(file)).toEqual(before);
  });

  it('refuses a folder that is not there, and a folder in place of the file', async () => {
    await expect(openDatabase(path.join(tempDir(), 'missing', 'forge.db'))).rejects.toMatchObject({
      code: 'disk_write_failed',
    });
    await expect(openDatabase(tempDir())).rejects.toMatchObject({ code: 'data_dir_unusable' });
  });
});

describe('a damaged database', () => {
  const kinds: [string, (file: string) => Promise<void> | void][] = [
    ['a file that is no database', (file) => writeFileSync(file, 'x'.repeat(5000))],
    ['a file of three bytes', (file) => writeFileSync(file, 'abc')],
    [
      'a database cut in half',
      async (file) => {
        await filled(file);
        writeFileSync(file, readFileSync(file).subarray(0, Math.floor(statSync(file).size / 2)));
      },
    ],
    [
      'a database with an overwritten page',
      async (file) => {
        await filled(file);
        damage(file, 20);
      },
    ],
    [
      'a database with an overwritten first page',
      async (file) => {
        await filled(file);
        damage(file, 0);
      },
    ],
    [
      'a damaged database with a log',
      (file) => {
        killedWhileWriting(file);
        damage(file, 20);
      },
    ],
    [
      'an emptied database with a log',
      (file) => {
        killedWhileWriting(file);
        writeFileSync(file, '');
      },
    ],
  ];

  it.each(kinds)('%s is refused and left byte for byte as it was', async (_, make) => {
    const file = path.join(tempDir(), 'forge.db');
    await make(file);
    const bytes = () =>
      [file, `${file}-wal`].map((name) => (existsSync(name) ? readFileSync(name).toString('hex') : ''));
    const before = bytes();
    const failure = openDatabase(file);
    await expect(failure).rejects.toMatchObject({ code: 'store_corrupt' });
    await expect(failure).rejects.toThrow(file);
    await expect(failure).rejects.toThrow('Nothing was changed');
    await expect(failure).rejects.toThrow('forge doctor --set-aside-database');
    expect(bytes()).toEqual(before);
  });

  it('shows its problems to the doctor, and a sound one has none', async () => {
    const file = path.join(tempDir(), 'forge.db');
    expect(await integrityProblems(file)).toEqual([]);
    await filled(file);
    expect(await integrityProblems(file)).toEqual([]);
    damage(file, 20);
    expect((await integrityProblems(file)).length).toBeGreaterThan(0);
    writeFileSync(file, 'x'.repeat(5000));
    expect(await integrityProblems(file)).toEqual(['file is not a database']);
  });

  it('is moved aside with its log, and an empty one takes its place', async () => {
    const file = path.join(tempDir(), 'forge.db');
    killedWhileWriting(file);
    damage(file, 20);
    const [bytes, log] = [readFileSync(file), readFileSync(`${file}-wal`)];
    const aside = setAsideDatabase(file, new Date('2026-03-04T05:06:07.890Z'));
    expect(aside).toBe(`${file}.damaged-20260304T050607Z`);
    expect(readFileSync(aside)).toEqual(bytes);
    expect(readFileSync(`${aside}-wal`)).toEqual(log);
    expect(getMeta(await opened(file), 'last')).toBeNull();
  });

  it('does not replace one that was moved aside in the same second', () => {
    const folder = tempDir();
    const file = path.join(folder, 'forge.db');
    const now = new Date('2026-03-04T05:06:07Z');
    writeFileSync(file, 'first');
    setAsideDatabase(file, now);
    writeFileSync(file, 'second');
    expect(setAsideDatabase(file, now)).toBe(`${file}.damaged-20260304T050607Z-2`);
    expect(readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'))).toEqual([
      'first',
      'second',
    ]);
  });
});
