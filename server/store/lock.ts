import { setTimeout as delay } from 'node:timers/promises';
import { ForgeError } from '../../shared/errors.ts';
import { createPrivateFile } from './private-file.ts';
import { sqliteFailure, storeError } from './sqlite-errors.ts';
import { openSqlite, type Database } from './sqlite.ts';

const RETRY_MS = 50;

interface Lock {
  release(): void;
}

interface LockOptions {
  waitMs?: number;
  signal?: AbortSignal;
  now?: () => number;
}

/**
 * Makes this process the only owner of a data dir.
 * The lock is the operating system's own, on an empty SQLite file, so a killed process gives it up at once.
 * It is taken without a prepared statement, which would keep the packaged SQLite from letting go at once.
 * Nothing in this process may open that file in another way: closing it would drop the lock.
 */
export async function acquireLock(path: string, options: LockOptions = {}): Promise<Lock> {
  const { waitMs = 0, signal, now = Date.now } = options;
  const deadline = now() + waitMs;
  createPrivateFile(path);
  const db = await openLockFile(path);
  while (!tryToLock(db, path)) {
    if (now() >= deadline) {
      db.close();
      throw new ForgeError('data_dir_busy', `another Forge process is using this data dir (${path} is locked)`);
    }
    try {
      await delay(Math.min(RETRY_MS, waitMs), undefined, { signal });
    } catch (error) {
      db.close();
      throw error;
    }
  }
  let isHeld = true;
  return {
    release: () => {
      if (isHeld) db.close();
      isHeld = false;
    },
  };
}

async function openLockFile(path: string): Promise<Database> {
  try {
    return await openSqlite(path, { busyTimeoutMs: 0 });
  } catch (error) {
    throw storeError(error, path);
  }
}

function tryToLock(db: Database, path: string): boolean {
  try {
    db.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    const failure = sqliteFailure(error);
    if (failure === 'busy') return false;
    db.close();
    if (failure !== 'notADatabase' && failure !== 'corrupt') throw storeError(error, path);
    throw new ForgeError('data_dir_unusable', `${path} is not a lock file of Forge`, {
      hint: 'It never holds data. Make sure that no Forge is running, remove the file and start again.',
      cause: error,
    });
  }
}
