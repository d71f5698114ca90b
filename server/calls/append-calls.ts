import { existsSync } from 'node:fs';
import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import type { CallColumns } from './call.ts';
import { chainHash, readHead, START, writeHead, type ChainKeys, type Head } from './chain.ts';
import { openHeadFile, type HeadFile } from './head-file.ts';
import { joinCalls, unpackCalls, type PackedCall } from './packed-call.ts';
import type { BatchOutcome, BatchWriter } from './write-queue.ts';

/** What the log is written with, besides the database; all of it can be handed to a thread. */
export interface ChainFiles {
  /** Null while secrets cannot be read. */
  keys: ChainKeys | null;
  headFile: string;
}

/** Writes calls in the thread that asks for it. */
export function createOwnWriter(db: Database, files: ChainFiles): BatchWriter<PackedCall> & { close(): void } {
  const { append, close } = createAppend(db, files);
  return {
    write: (batch, isDurable, done) => done(append(joinCalls(batch), isDurable)),
    settle: () => undefined,
    close,
  };
}

/** Adds packed calls to the end of the chain, each batch as one transaction. A durable one is on disk when this returns. */
export function createAppend(db: Database, { keys, headFile }: ChainFiles) {
  const addRows = createAddRows(db, keys);
  let file: HeadFile | null = null;
  const record = (head: Head): void => {
    if (keys === null) return;
    // One that somebody has taken away is not made again: its absence is what the check of the log reports.
    if (file === null && !existsSync(headFile)) return;
    file ??= openHeadFile(headFile, keys.head);
    file.write(head);
  };
  return {
    append: (batch: Uint8Array, isDurable: boolean): BatchOutcome => {
      try {
        const calls = unpackCalls(batch);
        const { refused, head } = isDurable
          ? withFsync(db, () => transaction(db, () => addRows(calls)))
          : transaction(db, () => addRows(calls));
        return isDurable ? { refused, ...recorded(() => record(head)) } : { refused };
      } catch (error) {
        return { error };
      }
    },
    close: () => file?.close(),
  };
}

/** Commits wait for the disk meanwhile. The write-ahead log is one file, so that everything committed before is on disk then, too. */
export function withFsync<T>(db: Database, work: () => T): T {
  db.exec('PRAGMA synchronous = FULL');
  try {
    return work();
  } finally {
    db.exec('PRAGMA synchronous = NORMAL');
  }
}

/** The rows are in the log whatever becomes of the record outside; but whoever waits for both is told. */
function recorded(write: () => void): { unconfirmed?: unknown } {
  try {
    write();
    return {};
  } catch (unconfirmed) {
    return { unconfirmed };
  }
}

/** Answers the new head and the ids of those that could not be added. Only inside a transaction. */
export function createAddRows(db: Database, keys: ChainKeys | null) {
  const key = keys?.rows ?? null;
  const newest = db.prepare('SELECT max(seq) AS seq FROM calls');
  // A row the table refuses must not hold up the ones behind it.
  const insert = db.prepare(
    `INSERT OR IGNORE INTO calls (seq, id, at, caller, tool_id, connector_id, args, outcome, code, message, duration_ms,
       stages, trace, prev_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const someOpen = db.prepare('SELECT 1 AS found FROM open_calls LIMIT 1');
  const open = db.prepare('INSERT OR IGNORE INTO open_calls (id, seq) VALUES (?, ?)');
  const end = db.prepare('DELETE FROM open_calls WHERE id = ?');
  const add = (seq: number, c: CallColumns, previous: string): string | null => {
    const own = chainHash(key, previous, seq, c);
    // prettier-ignore
    const { changes } = insert.run(
      seq, c.id, c.at, c.caller, c.tool_id, c.connector_id, c.args, c.outcome, c.code, c.message, c.duration_ms,
      c.stages, c.trace, previous, own,
    );
    return Number(changes) === 1 ? own : null;
  };
  return (batch: readonly CallColumns[]): { refused: string[]; head: Head } => {
    const refused: string[] = [];
    let head: Head = readHead(db) ?? { ...START, count: 0 };
    // Numbers that somebody else took are left to them, and the check of the chain reports it.
    let seq = Math.max(head.seq, Number(newest.get()?.['seq'] ?? 0));
    let hasOpen = someOpen.get() !== undefined;
    for (const columns of batch) {
      const own = add(seq + 1, columns, head.hash);
      if (own === null) {
        refused.push(columns.id);
        continue;
      }
      seq += 1;
      head = { seq, hash: own, count: head.count + 1 };
      if (columns.outcome === 'started') {
        open.run(columns.id, seq);
        hasOpen = true;
      } else if (hasOpen) end.run(columns.id);
    }
    writeHead(db, head);
    return { refused, head };
  };
}
