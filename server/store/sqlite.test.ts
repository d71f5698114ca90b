import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sqliteFailure, storeError } from './sqlite-errors.ts';
import { openSqlite } from './sqlite.ts';
import { tempDir } from './testing/temp-dir.ts';

describe('openSqlite', () => {
  it('reads back every kind of value', async () => {
    const db = await openSqlite(path.join(tempDir(), 'a.db'));
    onTestFinished(() => db.close());
    db.exec('CREATE TABLE t (n INTEGER, r REAL, x TEXT, b BLOB, z TEXT) STRICT');
    db.prepare('INSERT INTO t VALUES (?, ?, ?, ?, ?)').run(7, 1.5, 'ü', Buffer.from([1, 2]), null);
    const row = db.prepare('SELECT * FROM t WHERE n = ?').get(7);
    expect({ ...row, b: [...(row!['b'] as Uint8Array)] }).toEqual({ n: 7, r: 1.5, x: 'ü', b: [1, 2], z: null });
  });

  it('does not write through a read-only connection, nor make a file', async () => {
    const file = path.join(tempDir(), 'a.db');
    await expect(openSqlite(file, { readOnly: true })).rejects.toThrow('unable to open');
    (await openSqlite(file)).close();
    const db = await openSqlite(file, { readOnly: true });
    onTestFinished(() => db.close());
    expect(() => db.exec('CREATE TABLE t (x TEXT)')).toThrow('readonly');
  });

  it('leaves the way Node warns as it was', async () => {
    const before = Object.getOwnPropertyDescriptor(process, 'emitWarning');
    (await openSqlite(':memory:')).close();
    expect(Object.getOwnPropertyDescriptor(process, 'emitWarning')).toEqual(before);
  });
});

describe('storeError', () => {
  const sqliteError = (message: string, errcode?: number) =>
    Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', ...(errcode === undefined ? {} : { errcode }) });

  it.each([
    ['full', 13, 'database or disk is full', 'disk_write_failed'],
    ['io', 10 | (3 << 8), 'disk I/O error', 'disk_write_failed'],
    ['readOnly', 8, 'attempt to write a readonly database', 'disk_write_failed'],
    ['corrupt', 11 | (1 << 8), 'database disk image is malformed', 'store_corrupt'],
    ['notADatabase', 26, 'file is not a database', 'store_corrupt'],
    ['cannotOpen', 14, 'unable to open database file', 'data_dir_unusable'],
    ['busy', 5, 'database is locked', 'data_dir_busy'],
    ['locked', 6, 'database table is locked: t', 'data_dir_busy'],
  ])('knows %s by its number and by its text', (failure, number, message, code) => {
    for (const error of [sqliteError('any text', number), sqliteError(message)]) {
      expect(sqliteFailure(error)).toBe(failure);
      expect(storeError(error, '/x/forge.db')).toMatchObject({ code, cause: error });
    }
  });

  it('returns every other error as it is', () => {
    for (const error of [sqliteError('UNIQUE constraint failed', 19), new Error('database is locked'), 'text']) {
      expect(storeError(error, '/x')).toBe(error);
    }
  });
});
