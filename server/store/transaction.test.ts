import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ForgeError } from '../../shared/errors.ts';
import { openDatabase } from './database.ts';
import { getMeta, setMeta } from './meta.ts';
import { openSqlite } from './sqlite.ts';
import { failingDatabase } from './testing/failing-database.ts';
import { tempDir } from './testing/temp-dir.ts';
import { transaction } from './transaction.ts';

async function freshDatabase(folder = tempDir()) {
  const db = await openDatabase(path.join(folder, 'forge.db'));
  onTestFinished(() => db.close());
  return db;
}

function failureOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('transaction', () => {
  it('keeps all changes and returns the result', async () => {
    const db = await freshDatabase();
    const result = transaction(db, () => {
      setMeta(db, 'a', '1');
      setMeta(db, 'b', '2');
      return 'done';
    });
    expect([result, getMeta(db, 'a'), getMeta(db, 'b')]).toEqual(['done', '1', '2']);
  });

  it('keeps none when the work throws, and passes on the very same error', async () => {
    const db = await freshDatabase();
    const problem = new ForgeError('conflict', 'no');
    const thrown = failureOf(() =>
      transaction(db, () => {
        setMeta(db, 'a', '1');
        throw problem;
      }),
    );
    expect(thrown).toBe(problem);
    expect(getMeta(db, 'a')).toBeNull();
  });

  it('refuses work that is not finished when it returns', async () => {
    const db = await freshDatabase();
    const thrown = failureOf(() =>
      transaction(db, () => {
        setMeta(db, 'a', '1');
        return Promise.resolve();
      }),
    );
    expect(thrown).toBeInstanceOf(TypeError);
    expect(getMeta(db, 'a')).toBeNull();
  });

  it('reports a full disk as such, keeps the cause, and the database works on', async () => {
    const folder = tempDir();
    const db = await freshDatabase(folder);
    setMeta(db, 'a', 'old');
    db.exec(`PRAGMA max_page_count = ${Math.ceil(statSync(path.join(folder, 'forge.db')).size / 4096) + 20}`);
    const thrown = failureOf(() =>
      transaction(db, () => {
        setMeta(db, 'a', 'new');
        setMeta(db, 'big', 'x'.repeat(1_000_000));
      }),
    );
    expect(thrown).toMatchObject({ code: 'disk_write_failed', cause: { errcode: 13 } });
    expect(String(thrown)).toContain('the disk is full');
    expect(String(thrown)).toContain(path.join(folder, 'forge.db'));
    expect([getMeta(db, 'a'), getMeta(db, 'big')]).toEqual(['old', null]);
    transaction(db, () => setMeta(db, 'a', 'newer'));
    expect(getMeta(db, 'a')).toBe('newer');
  });

  it('reports damage that shows only while working', async () => {
    const file = path.join(tempDir(), 'big.db');
    const before = await openSqlite(file);
    before.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT) STRICT');
    before.exec('BEGIN');
    for (let row = 0; row < 300; row += 1) before.prepare('INSERT INTO t (x) VALUES (?)').run('x'.repeat(300));
    before.exec('COMMIT');
    before.close();
    const fd = openSync(file, 'r+');
    writeSync(fd, Buffer.alloc(4096, 0xa5), 0, 4096, 4096 * 10);
    closeSync(fd);
    const db = await openSqlite(file);
    onTestFinished(() => db.close());
    const thrown = failureOf(() => transaction(db, () => db.prepare('SELECT * FROM t').all()));
    expect(thrown).toMatchObject({ code: 'store_corrupt' });
    expect(String(thrown)).toContain(file);
  });

  it('leaves the old state or the new one when statement n fails', async () => {
    const work = (db: Awaited<ReturnType<typeof freshDatabase>>) =>
      transaction(db, () => {
        setMeta(db, 'a', 'new');
        setMeta(db, 'b', 'new');
      });
    let failures = 0;
    for (let n = 1; ; n += 1) {
      const real = await freshDatabase();
      setMeta(real, 'a', 'old');
      setMeta(real, 'b', 'old');
      const failing = failingDatabase(real, n);
      let error: unknown;
      try {
        work(failing.db);
      } catch (caught) {
        error = caught;
      }
      if (failing.count() < n) break;
      failures += 1;
      expect(error, `statement ${n}`).toMatchObject({ code: 'disk_write_failed' });
      expect([getMeta(real, 'a'), getMeta(real, 'b')], `statement ${n}`).toEqual(['old', 'old']);
    }
    expect(failures).toBe(4);
  });
});
