import { existsSync, statSync } from 'node:fs';
import { ForgeError } from '../../shared/errors.ts';
import { moveDurably } from './durable-files.ts';
import { nodeFileOps, type FileOps } from './file-ops.ts';
import { MIGRATIONS } from './migrations.ts';
import { createPrivateFile } from './private-file.ts';
import { storeCorrupt, storeError } from './sqlite-errors.ts';
import { openSqlite, type Database } from './sqlite.ts';
import { transaction } from './transaction.ts';

// A check reads the whole file; above this size it would make every start noticeably slower.
const QUICK_CHECK_LIMIT_BYTES = 16 * 1024 * 1024;

const COMPANIONS = ['-wal', '-shm'] as const;

interface OpenOptions {
  migrations?: readonly string[];
  ops?: FileOps;
}

/** Opens the database and brings it up to date. A damaged or newer one is refused before anything is written to it. */
export async function openDatabase(path: string, options: OpenOptions = {}): Promise<Database> {
  const { migrations = MIGRATIONS, ops = nodeFileOps } = options;
  if (existsSync(path) && !statSync(path).isFile()) {
    throw new ForgeError('data_dir_unusable', `${path} cannot be used: it is not a file`);
  }
  if (sizeOf(path) > 0) await inspect(path, migrations.length);
  else if (sizeOf(`${path}-wal`) > 0) {
    // SQLite would throw the log away as not belonging to an empty file, and the data in it with it.
    throw storeCorrupt(path, 'the file is empty or missing, yet there is a write-ahead log beside it');
  }
  createPrivateFile(path, ops);
  return await openForWriting(path, migrations, ops);
}

/**
 * A second connection to a database that is open already, for what a power cut may take back: its commits do not wait for the disk.
 * A crash of the process alone loses nothing.
 */
export async function openUnhurried(path: string): Promise<Database> {
  try {
    const db = await openSqlite(path);
    db.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
    return db;
  } catch (error) {
    throw storeError(error, path);
  }
}

/** All that SQLite finds wrong with the file, an empty list when it is sound or not there; reads only. */
export async function integrityProblems(path: string): Promise<string[]> {
  if (sizeOf(path) === 0) return [];
  return await withReadOnly(path, (db) => {
    try {
      return check(db, 'integrity_check');
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  });
}

/**
 * Moves a damaged database aside, with its log so that it can still be examined, and returns its new path.
 * Only for a process that has not had it open for writing: such a connection may still clear the log away by its name.
 */
export function setAsideDatabase(path: string, now: Date, ops: FileOps = nodeFileOps): string {
  const stamp = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  let aside = `${path}.damaged-${stamp}`;
  for (let copy = 2; existsSync(aside) || existsSync(`${aside}-wal`); copy += 1) {
    aside = `${path}.damaged-${stamp}-${copy}`;
  }
  for (const ending of ['', ...COMPANIONS]) {
    if (existsSync(path + ending)) moveDurably(path + ending, aside + ending, ops);
  }
  return aside;
}

async function inspect(path: string, known: number): Promise<void> {
  await withReadOnly(path, (db) => {
    const found = userVersion(db);
    if (found > known) {
      throw new ForgeError('store_too_new', `${path} has format ${found}; this Forge knows formats up to ${known}`);
    }
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    const problems = sizeOf(path) < QUICK_CHECK_LIMIT_BYTES ? check(db, 'quick_check') : [];
    if (problems[0] !== undefined) throw storeCorrupt(path, problems[0]);
  });
}

/** A read-only connection also leaves the write-ahead log as it is: closing it does not merge the log into the file. */
async function withReadOnly<T>(path: string, work: (db: Database) => T): Promise<T> {
  let db: Database | undefined;
  try {
    db = await openSqlite(path, { readOnly: true });
    return work(db);
  } catch (error) {
    throw storeError(error, path);
  } finally {
    db?.close();
  }
}

async function openForWriting(path: string, migrations: readonly string[], ops: FileOps): Promise<Database> {
  let db: Database | undefined;
  try {
    db = await openSqlite(path);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
    const version = userVersion(db);
    migrate(db, migrations);
    for (const ending of ['', ...COMPANIONS]) {
      if (existsSync(path + ending)) ops.chmodSync(path + ending, 0o600);
    }
    const opened = mergingLog(db);
    found.set(opened, version);
    return opened;
  } catch (error) {
    db?.close();
    throw storeError(error, path);
  }
}

/**
 * Closing merges the log into the file, so that a copy of the file alone is complete. SQLite does so by itself, except
 * that the packaged one really closes only when its last statement has been collected as garbage.
 */
function mergingLog(db: Database): Database {
  return {
    exec: (sql) => db.exec(sql),
    prepare: (sql) => db.prepare(sql),
    close: () => {
      try {
        db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } finally {
        db.close();
      }
    },
  };
}

const found = new WeakMap<Database, number>();

/** How many steps the database had made before it was opened; 0 for a new one. */
export function versionFound(db: Database): number {
  return found.get(db) ?? 0;
}

function migrate(db: Database, migrations: readonly string[]): void {
  if (userVersion(db) === migrations.length) return;
  transaction(db, () => {
    for (const step of migrations.slice(userVersion(db))) db.exec(step);
    db.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

function userVersion(db: Database): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
}

function check(db: Database, pragma: 'quick_check' | 'integrity_check'): string[] {
  const lines = db
    .prepare(`PRAGMA ${pragma}`)
    .all()
    .map((row) => String(row[pragma]));
  return lines.length === 1 && lines[0] === 'ok' ? [] : lines;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
