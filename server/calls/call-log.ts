import { setImmediate } from 'node:timers/promises';
import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import { callOfRow, columnsOf, withoutJson, type Call, type CallColumns, type CallEntry } from './call.ts';
import { chainHash, readHead, verifyChain, writeAnchor, writeHead, type Head, type Verification } from './chain.ts';
import { findRows, type CallFilter } from './find-calls.ts';
import { createWriteQueue, type QueueProblem, type Schedule } from './write-queue.ts';

interface CallLogDeps {
  db: Database;
  retentionDays: number;
  now?: () => Date;
  flushMs?: number;
  maxBatch?: number;
  /** Told of every failure: recording never fails towards a call. */
  onProblem?: (problem: QueueProblem) => void;
  schedule?: Schedule;
}

export interface CallLog {
  /** Remembers a call; it is on disk after the next flush. Never throws. */
  record(entry: CallEntry): void;
  /** Writes all that waits, unless the disk refuses; then it keeps waiting. */
  flush(): void;
  get(id: string): Call | null;
  /** The newest first; `before` is the `seq` of the last one of the page before. */
  list(filter: CallFilter & { limit: number; before?: number | undefined }): Call[];
  /** JSON Lines, the oldest first, in parts of whole lines; other work has its turn between two parts. */
  exportLines(filter?: CallFilter): AsyncIterable<string>;
  /** Whether the log is as Forge wrote it; other work has its turn meanwhile, and calls may be recorded. */
  verify(signal?: AbortSignal): Promise<Verification>;
  /** Removes what is older than the retention and returns how many calls that were. */
  prune(): number;
  /** Writes what waits; calls that are recorded later are lost, and told as such. */
  close(): void;
}

const DAY_MS = 24 * 60 * 60_000;
const MAX_LIST = 1000;
const EXPORT_ROWS = 200;

/** The log of every call. Each row carries the hash of the one before it, so that a change or a gap shows. */
export function createCallLog(deps: CallLogDeps): CallLog {
  const { db, retentionDays, now = () => new Date(), flushMs = 50, maxBatch = 256, onProblem, schedule } = deps;
  const append = createAppend(db);
  const queue = createWriteQueue<CallEntry | CallColumns>({
    write: (entries) => transaction(db, () => append(entries)),
    settle,
    flushMs,
    maxBatch,
    ...(onProblem === undefined ? {} : { onProblem }),
    ...(schedule === undefined ? {} : { schedule }),
  });
  const byId = db.prepare('SELECT * FROM calls WHERE id = ?');

  return {
    record: (entry) => queue.add(entry),
    flush: () => queue.flush(),
    get: (id) => {
      queue.flush();
      const row = byId.get(id);
      return row === undefined ? null : callOfRow(row);
    },
    list: ({ limit, before = Number.MAX_SAFE_INTEGER, ...filter }) => {
      queue.flush();
      const rows = Math.min(Math.max(Math.trunc(limit), 1), MAX_LIST);
      return findRows(db, filter, { before }, rows).map(callOfRow);
    },
    exportLines: (filter = {}) => {
      queue.flush();
      return linesOf(db, filter);
    },
    verify: (signal) => {
      queue.flush();
      return verifyChain(db, { signal });
    },
    prune: () => {
      queue.flush();
      return prune(db, new Date(now().getTime() - retentionDays * DAY_MS));
    },
    close: () => queue.close(),
  };
}

/** An entry may hold on to a whole response; its columns do not. */
function settle(waiting: CallEntry | CallColumns): CallColumns {
  return 'toolId' in waiting ? columnsOf(waiting) : waiting;
}

/** Adds rows to the end of the chain, and returns the ids of those that could not be added. Only inside a transaction. */
function createAppend(db: Database): (waiting: readonly (CallEntry | CallColumns)[]) => string[] {
  const newest = db.prepare('SELECT max(seq) AS seq FROM calls');
  // A row the table refuses must not hold up the ones behind it.
  const insert = db.prepare(
    `INSERT OR IGNORE INTO calls (seq, id, at, caller, tool_id, connector_id, args, outcome, code, message, duration_ms,
       stages, trace, prev_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const add = (seq: number, c: CallColumns, previous: string): string | null => {
    const own = chainHash(previous, seq, c);
    const { changes } = insert.run(
      ...[seq, c.id, c.at, c.caller, c.tool_id, c.connector_id, c.args, c.outcome, c.code, c.message],
      ...[c.duration_ms, c.stages, c.trace, previous, own],
    );
    return Number(changes) === 1 ? own : null;
  };
  return (waiting) => {
    const refused: string[] = [];
    let head: Head = readHead(db) ?? { seq: 0, hash: '', count: 0 };
    // Numbers that somebody else took are left to them, and the check of the chain reports it.
    let seq = Math.max(head.seq, Number(newest.get()?.['seq'] ?? 0));
    for (const columns of waiting.map(settle)) {
      const own = add(seq + 1, columns, head.hash) ?? add(seq + 1, withoutJson(columns), head.hash);
      if (own === null) {
        refused.push(columns.id);
        continue;
      }
      seq += 1;
      head = { seq, hash: own, count: head.count + 1 };
    }
    writeHead(db, head);
    return refused;
  };
}

/** Looks at a few rows at a time, whether or not the filter takes them, so that no look takes long. */
async function* linesOf(db: Database, filter: CallFilter): AsyncGenerator<string> {
  const end = db.prepare(
    `SELECT max(seq) AS seq FROM (SELECT seq FROM calls WHERE seq > ? ORDER BY seq LIMIT ${EXPORT_ROWS})`,
  );
  for (let after = -1; ;) {
    const upTo = end.get(after)?.['seq'];
    if (typeof upTo !== 'number') return;
    const rows = findRows(db, filter, { after, upTo }, EXPORT_ROWS);
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(callOfRow(row))}\n`).join('');
    after = upTo;
    await setImmediate();
  }
}

/** Removes rows from the front only, up to the first that is young enough, and moves the start of the chain behind them. */
function prune(db: Database, cutoff: Date): number {
  return transaction(db, () => {
    const kept = db.prepare('SELECT min(seq) AS seq FROM calls WHERE at >= ?').get(cutoff.toISOString())?.['seq'];
    const end = typeof kept === 'number' ? kept : Number.MAX_SAFE_INTEGER;
    const last = db.prepare('SELECT seq, hash FROM calls WHERE seq < ? ORDER BY seq DESC LIMIT 1').get(end);
    if (last === undefined) return 0;
    const anchor = { seq: Number(last['seq']), hash: String(last['hash']) };
    const { changes } = db.prepare('DELETE FROM calls WHERE seq <= ?').run(anchor.seq);
    // What was missing before this point is past; from here on the numbers say how many there must be.
    const head = readHead(db);
    writeAnchor(db, anchor);
    if (head !== null) writeHead(db, { ...head, count: Math.max(0, head.seq - anchor.seq) });
    return Number(changes);
  });
}
