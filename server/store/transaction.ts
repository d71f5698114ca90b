import { databaseFile, storeError } from './sqlite-errors.ts';
import type { Database } from './sqlite.ts';

/** Runs `work` as one unit: all of its changes, or none. It must be synchronous, since nothing else may run in between. */
export function transaction<T>(db: Database, work: () => T): T {
  try {
    db.exec('BEGIN IMMEDIATE');
  } catch (error) {
    throw storeError(error, databaseFile(db));
  }
  try {
    const result = work();
    if (result instanceof Promise) throw new TypeError('a transaction cannot wait: its work returned a promise');
    db.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(db);
    throw storeError(error, databaseFile(db));
  }
}

function rollBack(db: Database): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // SQLite has rolled back by itself (it does so when the disk is full); the failure that led here is the one to report.
  }
}
