import { ForgeError } from '../../shared/errors.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';
import type { Reseal } from '../secrets/rotation.ts';
import type { Database } from '../store/sqlite.ts';
import { createOwnWriter } from './append-calls.ts';
import { beginLog } from './begin-log.ts';
import { callOfRow, columnsOf, NOTE, type Call, type CallEntry } from './call.ts';
import { readAnchor, readHead } from './chain.ts';
import { lookBelow, readTimes, type CallFilter } from './find-calls.ts';
import { resealLogKeys, type LogKeys } from './log-keys.ts';
import { createOwnReader, type LogReader } from './log-reader.ts';
import { createLogState, type LogState } from './log-state.ts';
import type { OutsideHead } from './outside-head.ts';
import { packCall, type PackedCall } from './packed-call.ts';
import type { PruneLimits } from './prune.ts';
import { createPruning } from './pruning.ts';
import { isShortHead, type Verification } from './verify.ts';
import { WriteQueue, withTimer, type BatchWriter, type QueueProblem, type Schedule } from './write-queue.ts';

export interface CallLogDeps {
  db: Database;
  keys: LogKeys;
  /** Where the newest row is recorded outside of the database. */
  headFile: string;
  limits: PruneLimits;
  now?: () => Date;
  /** Milliseconds by a clock that nobody can set. */
  monotonic?: () => number;
  flushMs?: number;
  maxBatch?: number;
  /** Told of every failure: recording never fails towards a call. */
  onProblem?: (problem: QueueProblem) => void;
  schedule?: Schedule;
  /** Runs work that nobody waits for; without a delay, once whoever waits for the current call has been answered. */
  packLater?: Schedule;
  writer?: CallWriter;
  reader?: LogReader;
  /** A place besides the data dir that the newest row is recorded in, now and then. */
  outside?: OutsideHead;
}

/** Adds calls to the log. */
export type CallWriter = BatchWriter<PackedCall>;

export interface CallLog {
  /** Remembers a call; it is on disk after the next flush. Never throws. */
  record(entry: CallEntry): void;
  /** Resolves when the beginning of a call is on disk. Rejects when it cannot be recorded; the call must then not be made. */
  intend(entry: CallEntry): Promise<void>;
  /** Writes all that waits, unless the disk refuses; then it keeps waiting. */
  flush(): void;
  get(id: string): Call | null;
  /** The last call of a connector that has ended. */
  latest(connector: string): Call | null;
  /** The newest first, one for each call; `before` is the `seq` of the last one of the page before. */
  list(filter: CallFilter & Page, signal?: StopSignal): Promise<Call[]>;
  /** Every row as JSON Lines, the oldest first, in parts of whole lines. */
  exportLines(filter?: CallFilter): AsyncIterable<string>;
  /** Whether the log is as Forge wrote it; `since` is a head that somebody has noted. */
  verify(options?: { signal?: StopSignal; since?: string | undefined }): Promise<Verification>;
  /** Removes what is older than the retention, or too much, and returns how many rows that were. */
  prune(): Promise<number>;
  /** Why calls cannot be recorded just now; null when they can. */
  problem(): string | null;
  /** Hands the sealed keys of the log to `reseal`; the caller holds the transaction. */
  resealKeys(reseal: Reseal): void;
  /** Writes what waits; calls that are recorded later are lost, and told as such. */
  close(): Promise<void>;
}

interface Page {
  limit: number;
  before?: number | undefined;
}

const MAX_LIST = 1000;
/**
 * Entries are packed this many at a time, or after this long: in a loop that is warm, one takes a third of the time that it takes between two
 * calls.
 */
const PACKED_TOGETHER = 128;
const PACK_MS = 50;
/** So many rows are looked at, and a log so long is checked, without asking a thread. */
const OWN_ROWS = 500;

/**
 * The log of every call. Each row carries a keyed hash of its content and of the row before it, so that a change or a gap shows. A call
 * that may change something has a row on disk before it begins, and another when it has ended.
 */
export function createCallLog(deps: CallLogDeps): CallLog {
  const { db, keys, headFile, now = () => new Date(), flushMs = 50, maxBatch = 512, packLater = withTimer } = deps;
  const own = createOwnReader(db);
  const { reader = own, monotonic = () => performance.now() } = deps;
  const { writer = createOwnWriter(db, { keys: keys.current, headFile }) } = deps;
  beginLog({ db, keys, headFile, now: now() });
  const state = createLogState(db);
  const queue = new WriteQueue<PackedCall>({
    writer,
    flushMs,
    maxBatch,
    onOutcome: (error) => state.took(error),
    monotonic,
    ...(deps.onProblem === undefined ? {} : { onProblem: deps.onProblem }),
    ...(deps.schedule === undefined ? {} : { schedule: deps.schedule }),
  });
  let fresh: CallEntry[] = [];
  let packing: 'idle' | 'later' | 'soon' = 'idle';
  let cancelPacking = (): void => undefined;
  /** Calls that have begun: their end is written without waiting for others. */
  const begun = new Set<string>();
  const settle = (): void => {
    cancelPacking();
    packing = 'idle';
    const entries = fresh;
    fresh = [];
    for (const entry of entries) queue.add(packCall(columnsOf(entry)), begun.delete(entry.id));
  };
  const packWith = (entry: CallEntry): 'later' | 'soon' =>
    fresh.length >= PACKED_TOGETHER || entry.isLarge === true || begun.has(entry.id) ? 'soon' : 'later';
  const flush = (): void => {
    settle();
    queue.flush();
  };
  const pruning = createPruning({
    ...{ db, headFile, limits: deps.limits, outside: deps.outside, flush, now, monotonic },
    keys: keys.current,
  });

  return {
    record: (entry) => {
      fresh.push(entry);
      const when = packWith(entry);
      if (packing === 'soon' || packing === when) return;
      cancelPacking();
      packing = when;
      cancelPacking = packLater(settle, when === 'soon' ? 0 : PACK_MS);
    },
    intend: async (entry) => {
      settle();
      begun.add(entry.id);
      try {
        await queue.addDurably(packCall(columnsOf(entry)));
      } catch (cause) {
        throw notRecorded(state, cause);
      }
    },
    flush,
    ...createReading(deps, { reader, own, flush }),
    prune: pruning.prune,
    problem: () => state.problem(),
    resealKeys: (reseal) => resealLogKeys(db, reseal),
    close: async () => {
      settle();
      queue.close();
      await pruning.close();
      writer.close?.();
      reader.close();
    },
  };
}

/** Looking at the log. What can take long is done by the reader; what is short is done here. */
function createReading(
  { db, keys, headFile, outside }: CallLogDeps,
  { reader, own, flush }: { reader: LogReader; own: LogReader; flush: () => void },
): Pick<CallLog, 'get' | 'latest' | 'list' | 'exportLines' | 'verify'> {
  const byId = db.prepare('SELECT * FROM calls WHERE id = ? ORDER BY seq DESC LIMIT 1');
  const ended = db.prepare(
    `SELECT * FROM calls WHERE connector_id = ? AND outcome <> 'started' ORDER BY seq DESC LIMIT 1`,
  );
  const isShort = (): boolean => (readHead(db)?.seq ?? 0) - readAnchor(db).seq <= OWN_ROWS;
  const reading = (): LogReader => (isShort() ? own : reader);
  return {
    get: (id) => {
      flush();
      const row = byId.get(id);
      return row === undefined || row['outcome'] === NOTE ? null : callOfRow(row);
    },
    latest: (connector) => {
      flush();
      const row = ended.get(connector);
      return row === undefined ? null : callOfRow(row);
    },
    list: async ({ limit, before = Number.MAX_SAFE_INTEGER, ...given }, signal) => {
      flush();
      const filter = readTimes(given);
      const page = { before, limit: Math.min(Math.max(Math.trunc(limit), 1), MAX_LIST) };
      // Most lists are the newest calls, and most logs are short.
      const look = lookBelow(db, filter, page, OWN_ROWS);
      const more =
        look.next === null
          ? []
          : await reader.find(filter, { before: look.next, limit: page.limit - look.rows.length }, signal);
      return [...look.rows, ...more].map(callOfRow);
    },
    exportLines: (given = {}) => {
      flush();
      return linesOf(reading(), readTimes(given));
    },
    verify: async ({ signal, since } = {}) => {
      if (since !== undefined && !isShortHead(since)) throw notAHead(since);
      flush();
      const known = (await outside?.read()) ?? null;
      const recorded = known === null ? [] : [{ where: outside?.where ?? '', head: known }];
      return reading().verify({ segments: keys.segments, headFile, recorded, since }, signal);
    },
  };
}

async function* linesOf(reader: LogReader, filter: CallFilter): AsyncGenerator<string> {
  for (let after = -1; ;) {
    const { lines, next } = await reader.exportPart(filter, after);
    if (next === null) return;
    if (lines !== '') yield lines;
    after = next;
    await new Promise(setImmediate);
  }
}

function notRecorded(state: LogState, cause: unknown): ForgeError {
  const why = state.problem() ?? 'the log is closed';
  return new ForgeError('call_not_recorded', `The call was not made, because it could not be recorded: ${why}`, {
    cause,
  });
}

function notAHead(text: string): ForgeError {
  const given = JSON.stringify(text.slice(0, 60));
  return new ForgeError('invalid_request', `${given} is not a head such as 1042:9f8e7d6c5b4a3210.`);
}
