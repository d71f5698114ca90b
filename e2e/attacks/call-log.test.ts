import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { keylessHashes } from '../../server/calls/chain.ts';
import { columnsOfRow } from '../../server/calls/call.ts';
import { openSqlite, type Database } from '../../server/store/sqlite.ts';
import { json, upstream, type Seen } from '../../server/testing/upstream.ts';
import { runForge, startForgeProcess, tempFolder, type ForgeProcess } from '../testing/forge-process.ts';

const MANIFEST = `id: shop
name: Shop
version: "1.0.0"
description: What is called here is counted.
settings: { base_url: { required: true } }
tools:
  remove:
    protocol: http
    destructive: true
    description: Remove an item.
    parameters: { id: { required: true } }
    request: { method: DELETE, url: '{base_url}/items/{args.id}' }
  add:
    protocol: http
    description: Add an item.
    parameters: { id: { required: true } }
    request: { method: POST, url: '{base_url}/items/{args.id}' }
  get:
    protocol: http
    description: Read an item.
    parameters: { id: { required: true } }
    request: { url: '{base_url}/items/{args.id}' }
`;

interface Row {
  id: string;
  tool_id: string;
  outcome: string;
  message: string | null;
  args: { id: string };
}

const call = async (forge: ForgeProcess, tool: string, id: string): Promise<Record<string, unknown>> => {
  const answer = await forge.call('POST', `/api/tools/shop.${tool}/call`, { args: { id } });
  return { status: answer.status, ...((await answer.json()) as Record<string, unknown>) };
};
const logged = async (forge: ForgeProcess): Promise<Row[]> =>
  ((await (await forge.call('GET', '/api/calls?limit=1000')).json()) as { calls: Row[] }).calls;
const verified = async (forge: ForgeProcess): Promise<{ ok: boolean; calls: number }> =>
  (await (await forge.call('GET', '/api/calls/verify')).json()) as { ok: boolean; calls: number };

async function kill(forge: ForgeProcess): Promise<void> {
  forge.child.kill('SIGKILL');
  await forge.exited;
}

/** Lets a Forge know the shop, and remove items without asking. */
async function setUp(forge: ForgeProcess, url: string): Promise<void> {
  await forge.call('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  await forge.call('PUT', '/api/connectors/shop/settings', { values: { base_url: url } });
  await forge.call('POST', '/api/approvals/standing', { tool_id: 'shop.remove', max_uses: 100_000 });
}

async function prepared(url: string, dataDir = path.join(tempFolder(), 'data')) {
  const forge = await startForgeProcess(dataDir);
  await setUp(forge, url);
  return { dataDir, forge };
}

async function editing(dataDir: string, work: (db: Database) => void): Promise<void> {
  const db = await openSqlite(path.join(dataDir, 'forge.db'));
  work(db);
  db.close();
}

describe('S6 kill -9', () => {
  it('S6 right after the answers: none of the destructive calls is missing from the log', async () => {
    const service = await upstream();
    const { dataDir, forge } = await prepared(service.url);
    const answers = await Promise.all(Array.from({ length: 14 }, (_, n) => call(forge, 'remove', `d${n}`)));
    await kill(forge);
    expect(answers.every(({ ok }) => ok === true)).toBe(true);
    const again = await startForgeProcess(dataDir);
    const ids = (await logged(again)).map(({ args }) => args.id).sort();
    expect(ids).toEqual(Array.from({ length: 14 }, (_, n) => `d${n}`).sort());
    expect(await verified(again)).toMatchObject({ ok: true, calls: 14 });
  });

  it('S6 while calls are under way: they are there, as interrupted, and one that only reads never claims to have begun', async () => {
    let arrived = 0;
    let allArrived = (): void => undefined;
    const all = new Promise<void>((resolve) => (allArrived = resolve));
    const service = await upstream(() => {
      arrived += 1;
      if (arrived === 5) allArrived();
    });
    const { dataDir, forge } = await prepared(service.url);
    const calls = ['remove', 'remove', 'add', 'add', 'get'].map((tool, n) => call(forge, tool, `u${n}`));
    for (const one of calls) one.catch(() => undefined);
    await all;
    await kill(forge);
    const again = await startForgeProcess(dataDir);
    const rows = await logged(again);
    expect(rows.map(({ args, outcome }) => `${args.id} ${outcome}`).sort()).toEqual([
      'u0 interrupted',
      'u1 interrupted',
      'u2 interrupted',
      'u3 interrupted',
    ]);
    expect(rows[0]?.message).toContain('not known whether it took effect');
    const { stdout } = await runForge(dataDir, ['calls']);
    expect(stdout).toMatch(/shop\.add +interrupted/);
  });
});

describe('S6 somebody who can write the database, but does not have the key', () => {
  let dataDir: string;
  let older: string;
  let noted: string;
  const ends: (() => void)[] = [];

  beforeAll(async () => {
    const root = tempFolder((end) => ends.push(end));
    dataDir = path.join(root, 'data');
    older = path.join(root, 'older');
    const atEnd = (end: () => void) => ends.push(end);
    const service = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
    atEnd(() => service.close());
    await once(service, 'listening');
    const forge = await startForgeProcess(dataDir, {}, atEnd);
    await setUp(forge, `http://127.0.0.1:${(service.address() as AddressInfo).port}`);
    for (const n of [1, 2, 3]) await call(forge, 'remove', `k${n}`);
    await kill(forge);
    cpSync(dataDir, older, { recursive: true });
    const again = await startForgeProcess(dataDir, {}, atEnd);
    await call(again, 'get', 'k4');
    for (const n of [5, 6]) await call(again, 'remove', `k${n}`);
    noted = ((await (await again.call('GET', '/api/calls/verify')).json()) as { head: string }).head;
    await kill(again);
  });
  afterAll(() => {
    for (const end of ends.toReversed()) end();
  });

  const copied = (): string => {
    const copy = path.join(tempFolder(), 'data');
    cpSync(dataDir, copy, { recursive: true });
    return copy;
  };
  const check = (folder: string, ...flags: string[]) => runForge(folder, ['calls', 'verify', ...flags]);
  /** Chains the rows anew, with the hashes that need no key, and records the last one as the newest. */
  const rechain = (db: Database): void => {
    let last = { seq: 0, hash: '' };
    for (const row of db.prepare('SELECT * FROM calls ORDER BY seq').all()) {
      const seq = last.seq + 1;
      const hash = keylessHashes(last.hash, seq, columnsOfRow(row))[0] ?? '';
      const put = db.prepare('UPDATE calls SET seq = ?, prev_hash = ?, hash = ? WHERE seq = ?');
      put.run(seq, last.hash, hash, Number(row['seq']));
      last = { seq, hash };
    }
    const head = JSON.stringify({ ...last, count: last.seq });
    db.prepare(`UPDATE meta SET value = ? WHERE key = 'calls_head'`).run(head);
  };
  const rewind = (db: Database, to: number): void => {
    db.exec(`DELETE FROM calls WHERE seq > ${to}; DELETE FROM open_calls`);
    const row = db.prepare('SELECT seq, hash FROM calls WHERE seq = ?').get(to);
    const head = JSON.stringify({ seq: to, hash: String(row?.['hash']), count: to });
    db.prepare(`UPDATE meta SET value = ? WHERE key = 'calls_head'`).run(head);
  };
  const newest = (db: Database): number => Number(db.prepare('SELECT max(seq) AS seq FROM calls').get()?.['seq']);

  it('S6 nobody has touched it: the check says so, prints the head, and accepts the one that was noted', async () => {
    const { code, stdout } = await check(copied(), '--since', noted);
    expect([code, stdout]).toEqual([0, expect.stringContaining('6 calls, and the log is as Forge wrote it')]);
    expect(stdout).toContain('Head ');
  });

  it.each<[string, (db: Database) => void]>([
    [
      'rewrites rows and head together',
      (db) => {
        db.exec(`UPDATE calls SET tool_id = 'shop.get' WHERE tool_id = 'shop.remove'`);
        rechain(db);
      },
    ],
    [
      'removes a call and closes the gap',
      (db) => {
        db.exec(`DELETE FROM calls WHERE args LIKE '%k2%'`);
        rechain(db);
      },
    ],
    [
      'removes the key as well, so that the rows look as old as the log',
      (db) => {
        db.exec(`DELETE FROM calls WHERE args LIKE '%k2%'; DELETE FROM call_log_keys`);
        rechain(db);
      },
    ],
    ['takes off the last row', (db) => rewind(db, newest(db) - 1)],
    ['takes off the last destructive call, its beginning and its end', (db) => rewind(db, newest(db) - 2)],
    ['takes off the last four rows', (db) => rewind(db, newest(db) - 4)],
    ['empties the table', (db) => db.exec('DELETE FROM calls')],
    [
      'empties the table and forgets the head',
      (db) => db.exec(`DELETE FROM calls; DELETE FROM meta WHERE key LIKE 'calls%'`),
    ],
    ['changes what a call was made with', (db) => db.exec(`UPDATE calls SET args = '{"id":"x"}' WHERE seq = 3`)],
    ['turns a failure into a success', (db) => db.exec(`UPDATE calls SET outcome = 'error' WHERE seq = 2`)],
    [
      'moves the start of the chain',
      (db) => {
        const row = db.prepare('SELECT seq, hash FROM calls WHERE seq = 2').get();
        db.exec('DELETE FROM calls WHERE seq <= 2');
        const anchor = JSON.stringify({ seq: 2, hash: String(row?.['hash']) });
        db.prepare(`INSERT OR REPLACE INTO meta (key, value) VALUES ('calls_anchor', ?)`).run(anchor);
        db.exec(`UPDATE meta SET value = json_set(value, '$.count', ${newest(db) - 2}) WHERE key = 'calls_head'`);
      },
    ],
    [
      'adds a note that says that Forge pruned',
      (db) => {
        db.exec(
          `UPDATE calls SET outcome = 'note', code = 'pruned', args = '{"from":1,"to":1,"count":1,"why":"age","hash":"x"}' WHERE seq = 2`,
        );
      },
    ],
  ])('S6 %s: the check notices', async (_, attack) => {
    const copy = copied();
    await editing(copy, attack);
    expect(await check(copy)).toMatchObject({ code: 1, stdout: expect.stringContaining('✗') });
    // The next start, with whatever it records, does not hide it.
    expect(await check(copy)).toMatchObject({ code: 1, stdout: expect.stringContaining('✗') });
  });

  it('S6 removes rows, key, records and the file of the newest row: the check goes on noticing', async () => {
    const copy = copied();
    for (const place of ['calls', 'open_calls', 'call_log_keys', `meta WHERE key LIKE 'calls%'`])
      await editing(copy, (db) => db.exec(`DELETE FROM ${place}`));
    rmSync(path.join(copy, 'call-log-head'));
    for (const _ of [1, 2]) expect((await check(copy)).stdout).toMatch(/✗.*all rows were removed/s);
  });

  it('S6 puts an older copy of the database in its place: the check notices', async () => {
    const copy = copied();
    for (const ending of ['', '-wal', '-shm']) {
      rmSync(path.join(copy, `forge.db${ending}`), { force: true });
      const source = path.join(older, `forge.db${ending}`);
      if (existsSync(source)) cpSync(source, path.join(copy, `forge.db${ending}`));
    }
    expect(await check(copy)).toMatchObject({ code: 1, stdout: expect.stringContaining('named row') });
  });

  it.each<[string, (file: string) => void]>([
    ['removes the record of the newest row', (file) => rmSync(file)],
    ['empties it', (file) => writeFileSync(file, '')],
    ['changes a byte of it', (file) => writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"seq":', '"seq":1'))],
  ])('S6 %s: the check notices, and goes on noticing', async (_, attack) => {
    const copy = copied();
    attack(path.join(copy, 'call-log-head'));
    expect((await check(copy)).code).toBe(1);
    expect((await check(copy)).code).toBe(1);
  });

  it('S6 an older copy of the whole data dir shows against a head that was noted, and only against that', async () => {
    expect((await check(older)).code).toBe(0);
    const { code, stdout } = await check(older, '--since', noted);
    expect([code, stdout]).toEqual([1, expect.stringContaining('which you have noted')]);
  });
});

it('S6 a start with the clock 40 days ahead removes nothing', async () => {
  const service = await upstream();
  const { dataDir, forge } = await prepared(service.url);
  for (let n = 0; n < 20; n += 1) await call(forge, n % 2 === 0 ? 'get' : 'remove', `c${n}`);
  await kill(forge);
  const ahead = path.join(tempFolder(), 'ahead.mjs');
  writeFileSync(
    ahead,
    `const real = Date; const shift = 40 * 86_400_000;
     globalThis.Date = class extends real {
       constructor(...given) { given.length === 0 ? super(real.now() + shift) : super(...given); }
       static now() { return real.now() + shift; }
     };`,
  );
  const later = await startForgeProcess(dataDir, { NODE_OPTIONS: `--import ${ahead}` });
  // The look for old calls has been made once it has counted some time.
  const looked = async (): Promise<boolean> => {
    const db = await openSqlite(path.join(dataDir, 'forge.db'), { readOnly: true });
    const value = db.prepare(`SELECT value FROM meta WHERE key = 'calls_day'`).get()?.['value'];
    db.close();
    const { at, ranMs } = JSON.parse(String(value ?? '{"at":0,"ranMs":0}')) as { at: number; ranMs: number };
    return ranMs > 0 || at > Date.now() + 39 * 86_400_000;
  };
  await expect.poll(looked).toBe(true);
  expect(await logged(later)).toHaveLength(20);
  expect(await verified(later)).toMatchObject({ ok: true, calls: 20 });
});

/** A disk of a few megabytes; null where this user may not mount one. */
function smallDisk(): string | null {
  const folder = path.join(tempFolder(), 'disk');
  mkdirSync(folder, { mode: 0o700 });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=0700', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return null;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

it('S15 a full disk: health says so, a call that would change something is not made, reading goes on, and all recovers', async (context) => {
  const disk = smallDisk();
  if (disk === null) return context.skip('this user may not mount a disk');
  const service = await upstream(json({ ok: 1 }));
  const { dataDir, forge } = await prepared(service.url, path.join(disk, 'data'));
  expect(await call(forge, 'remove', 'f0')).toMatchObject({ ok: true });
  const health = async () => (await (await forge.call('GET', '/api/health')).json()) as Record<string, unknown>;
  expect(await health()).toMatchObject({ status: 'ok', problems: [] });
  const filler = path.join(disk, 'filler');
  try {
    for (let size = 1; ; size += 1) writeFileSync(filler, Buffer.alloc(4096), { flag: 'a' });
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  }
  const sent = (line: string) => service.seen.filter((seen: Seen) => seen.line === line).length;
  // A standing approval is used up by a write of its own, which fails first; a change that nobody is asked about is refused by the log.
  const refused = await call(forge, 'add', 'f1');
  expect(refused).toMatchObject({
    ok: false,
    error: { code: 'call_not_recorded', hint: expect.stringContaining('disk') },
  });
  expect(await call(forge, 'remove', 'f2')).not.toMatchObject({ ok: true });
  expect([sent('POST /items/f1'), sent('DELETE /items/f2')]).toEqual([0, 0]);
  expect(await call(forge, 'get', 'f3')).toMatchObject({ ok: true });
  expect(await health()).toMatchObject({
    status: 'degraded',
    problems: [{ code: 'call_not_recorded', message: expect.stringContaining('the disk is full') }],
  });
  const doctor = await runForge(dataDir, ['doctor']);
  expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining('Calls cannot be recorded')]);
  rmSync(filler);
  await expect.poll(health).toMatchObject({ status: 'ok', problems: [] });
  expect(await call(forge, 'remove', 'f4')).toMatchObject({ ok: true });
  expect(await verified(forge)).toMatchObject({ ok: true });
});
