import type { Database, Statement } from '../sqlite.ts';

interface FailingDatabase {
  readonly db: Database;
  /** How many statements were run, the failing one included. */
  count(): number;
  /** Lets another statement fail instead. */
  failAt(n: number): void;
}

/** The given database whose nth statement (from 1) fails as SQLite does on a full disk; rolling back always works. */
export function failingDatabase(real: Database, failAt: number): FailingDatabase {
  let count = 0;
  let wanted = failAt;
  const check = (sql: string): void => {
    if (sql === 'ROLLBACK') return;
    count += 1;
    if (count !== wanted) return;
    throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
  };
  const checked =
    <P extends unknown[], R>(sql: string, run: (...parameters: P) => R) =>
    (...parameters: P): R => {
      check(sql);
      return run(...parameters);
    };
  const prepare = (sql: string): Statement => {
    const statement = real.prepare(sql);
    return {
      run: checked(sql, (...parameters) => statement.run(...parameters)),
      get: checked(sql, (...parameters) => statement.get(...parameters)),
      all: checked(sql, (...parameters) => statement.all(...parameters)),
    };
  };
  const db: Database = {
    exec: (sql) => {
      check(sql);
      real.exec(sql);
    },
    prepare,
    close: () => real.close(),
  };
  return {
    db,
    count: () => count,
    failAt: (n) => {
      wanted = n;
    },
  };
}
