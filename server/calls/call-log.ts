import type { StopSignal } from '../../shared/stop-signal.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import { createOwnWriter } from './append-calls.ts';
import { callOfRow, columnsOf, type Call, type CallEntry } from './call.ts';
import { readHead, verifyChain, writeAnchor, writeHead, type Verification } from './chain.ts';
import { findRows, type CallFilter } from './find-calls.ts';
import { packCall, type PackedCall } from './packed-call.ts';
import { createWriteQueue, type BatchWriter, type QueueProblem, type Schedule } from './write-queue.ts';

interface CallLogDeps {
  db: Database;
  retentionDays: number;
  now?: () => Date;
  flushMs?: number;
  maxBatch?: number;
  /** Told of every failure: recording never fails towards a call. */
  onProblem?: (problem: QueueProblem) => void;
  schedule?: Schedule;
  /** Runs work once whoever waits for the current call has been answered. */
  soon?: (work: () => void) => void;
  writer?: CallWriter;
}

/** Adds calls to the log. */
export type CallWriter = BatchWriter<PackedCall>;

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
  verify(signal?: StopSignal): Promise<Verification>;
  /** Removes what is older than the retention and returns how many calls that were. */
  prune(): number;
  /** Writes what waits; calls that are recorded later are lost, and told as such. */
  close(): void;
}

const setTurn = (work: () => void): void => void setImmediate(work);

const DAY_MS = 24 * 60 * 60_000;
const MAX_LIST = 1000;
const EXPORT_ROWS = 200;

/** The log of every call. Each row carries the hash of the one before it, so that a change or a gap shows. */
export function createCallLog(deps: CallLogDeps): CallLog {
  const { db, retentionDays, now = () => new Date(), flushMs = 50, maxBatch = 256, onProblem, schedule } = deps;
  const { soon = setTurn, writer = createOwnWriter(db) } = deps;
  const queue = createWriteQueue<PackedCall>({
    writer,
    flushMs,
    maxBatch,
    ...(onProblem === undefined ? {} : { onProblem }),
    ...(schedule === undefined ? {} : { schedule }),
  });
  const byId = db.prepare('SELECT * FROM calls WHERE id = ?');
  const fresh: CallEntry[] = [];
  /** An entry may hold on to a whole response; packed it does not. */
  const settle = (): void => {
    for (const entry of fresh.splice(0)) queue.add(packCall(columnsOf(entry)));
  };
  const flush = (): void => {
    settle();
    queue.flush();
  };

  return {
    record: (entry) => {
      if (fresh.push(entry) === 1) soon(settle);
    },
    flush,
    get: (id) => {
      flush();
      const row = byId.get(id);
      return row === undefined ? null : callOfRow(row);
    },
    list: ({ limit, before = Number.MAX_SAFE_INTEGER, ...filter }) => {
      flush();
      const rows = Math.min(Math.max(Math.trunc(limit), 1), MAX_LIST);
      return findRows(db, filter, { before }, rows).map(callOfRow);
    },
    exportLines: (filter = {}) => {
      flush();
      return linesOf(db, filter);
    },
    verify: (signal) => {
      flush();
      return verifyChain(db, { signal });
    },
    prune: () => {
      flush();
      return prune(db, new Date(now().getTime() - retentionDays * DAY_MS));
    },
    close: () => {
      settle();
      queue.close();
    },
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
    await nextTurn();
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
