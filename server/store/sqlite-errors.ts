import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { FORGE } from '../../shared/forge-command.ts';
import type { Database } from './sqlite.ts';

const CODES = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

export type SqliteFailure = keyof typeof CODES;

// Not every path through the packaged SQLite carries the number, but SQLite's own texts are fixed.
const TEXTS: Readonly<Record<SqliteFailure, string>> = {
  busy: 'database is locked',
  locked: 'database table is locked',
  readOnly: 'attempt to write a readonly database',
  io: 'disk I/O error',
  corrupt: 'database disk image is malformed',
  full: 'database or disk is full',
  cannotOpen: 'unable to open database file',
  notADatabase: 'file is not a database',
};

/** The kind of a SQLite error, by its number (extended ones included) or its text; undefined for everything else. */
export function sqliteFailure(error: unknown): SqliteFailure | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SQLITE_ERROR') return undefined;
  const names = Object.keys(CODES) as SqliteFailure[]; // the keys of the constant above
  const number = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
  return names.find((name) => (number === undefined ? error.message.includes(TEXTS[name]) : CODES[name] === number));
}

/** What a person is told about a damaged database; the file itself is never touched. */
export function storeCorrupt(path: string, reason: string, cause?: unknown): ForgeError {
  const wayOut = `\`${FORGE} doctor --set-aside-database\` moves it away and starts with an empty one`;
  return new ForgeError(
    'store_corrupt',
    `the database ${path} is damaged (${reason}). Nothing was changed; ${wayOut}.`,
    {
      hint: 'If you have a backup of the data dir, stop Forge and restore it. Otherwise run the command in the message.',
      cause,
    },
  );
}

/** Turns the SQLite errors that a person must act on into Forge errors; every other error is returned as it is. */
export function storeError(error: unknown, path: string): unknown {
  if (isForgeError(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  switch (sqliteFailure(error)) {
    case 'corrupt':
    case 'notADatabase':
      return storeCorrupt(path, reason, error);
    case 'full':
      return new ForgeError('disk_write_failed', `${path} could not be written: the disk is full`, { cause: error });
    case 'io':
      return new ForgeError('disk_write_failed', `the disk failed while using ${path}: ${reason}`, { cause: error });
    case 'readOnly':
      return new ForgeError('disk_write_failed', `${path} could not be written: ${reason}`, { cause: error });
    case 'cannotOpen':
      return new ForgeError('data_dir_unusable', `${path} cannot be opened: ${reason}`, { cause: error });
    case 'busy':
    case 'locked':
      return new ForgeError('data_dir_busy', `${path} is in use by another process`, { cause: error });
    case undefined:
      return error;
  }
}

/** The file behind an open database, for messages. */
export function databaseFile(db: Database): string {
  const file = db.prepare('PRAGMA database_list').get()?.['file'];
  return typeof file === 'string' && file !== '' ? file : 'the database in memory';
}
