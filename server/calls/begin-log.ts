import { existsSync } from 'node:fs';
import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import { createAddRows, withFsync } from './append-calls.ts';
import { columnsOfRow, type CallColumns } from './call.ts';
import { readAnchor, readHead, rowHash, START, type ChainKeys } from './chain.ts';
import { createHeadFile, readHeadFile, type HeadRecord } from './head-file.ts';
import type { LogKeys } from './log-keys.ts';
import { noteColumns } from './notes.ts';

/** What a call that was under way when Forge ended is recorded as. */
const INTERRUPTED =
  'Forge ended while this call was under way. It is not known whether it took effect; look there before you make it again.';

interface BeginOptions {
  db: Database;
  keys: LogKeys;
  headFile: string;
  now: Date;
}

/**
 * What a start does to the log before anything is added to it. Calls that have begun and not ended are recorded as interrupted, and if the
 * record outside of the database does not fit, that is noted in the chain itself: the next record would otherwise hide it.
 */
export function beginLog({ db, keys, headFile, now }: BeginOptions): void {
  const { current, isNew } = keys;
  const mismatch = current === null ? null : isNew ? takenAway(keys, headFile) : mismatchOf(db, current, headFile);
  const rows = [
    ...(mismatch === null ? [] : [noteColumns('head', mismatch, {}, now)]),
    ...openCalls(db).map(interrupted),
  ];
  const addRows = createAddRows(db, current);
  const head = rows.length === 0 ? readHead(db) : withFsync(db, () => transaction(db, () => addRows(rows).head));
  if (current !== null && (isNew || rows.length > 0)) createHeadFile(headFile, current.head, head ?? START);
}

function openCalls(db: Database): CallColumns[] {
  return db
    .prepare('SELECT calls.* FROM open_calls JOIN calls ON calls.seq = open_calls.seq ORDER BY calls.seq')
    .all()
    .map(columnsOfRow);
}

function interrupted(started: CallColumns): CallColumns {
  return { ...started, outcome: 'interrupted', code: 'interrupted', message: INTERRUPTED };
}

/** A log that gets its first key has no record yet: one that is there belongs to a key that somebody has taken away. */
function takenAway({ isEmptied }: LogKeys, headFile: string): string | null {
  const missing = 'When Forge started, the key of the log was missing, although';
  if (existsSync(headFile)) return `${missing} ${headFile} shows that there was one`;
  return isEmptied === true ? `${missing} this data dir has been in use: all rows were removed with it` : null;
}

function mismatchOf(db: Database, keys: ChainKeys, headFile: string): string | null {
  const record: HeadRecord = readHeadFile(headFile, keys.head);
  const when = 'When Forge started, the record of the newest row';
  if (record === 'missing') return `${when}, ${headFile}, was missing`;
  if (record === 'unreadable') return `${when}, ${headFile}, was not what Forge wrote`;
  const newest = readHead(db)?.seq ?? 0;
  if (record.seq > newest) return `${when} named row ${record.seq}, and the log ended at row ${newest}`;
  return rowHash(db, readAnchor(db), record.seq) === record.hash
    ? null
    : `${when} named another row ${record.seq} than the one in the log`;
}
