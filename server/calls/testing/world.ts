import path from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../store/database.ts';
import type { Database } from '../../store/sqlite.ts';
import { tempDir } from '../../store/testing/temp-dir.ts';
import { createCallLog } from '../call-log.ts';
import type { CallEntry } from '../call.ts';
import { chainKeysOf, START as FIRST } from '../chain.ts';
import type { LogKeys } from '../log-keys.ts';
import type { QueueProblem, Schedule } from '../write-queue.ts';

export const START = Date.parse('2026-03-01T12:00:00Z');

/** A timer that goes off when the test says so. */
export function handTimer() {
  const pending: { work: () => void; delayMs: number }[] = [];
  const schedule: Schedule = (work, delayMs) => {
    const entry = { work, delayMs };
    pending.push(entry);
    return () => {
      if (pending.includes(entry)) pending.splice(pending.indexOf(entry), 1);
    };
  };
  return {
    schedule,
    delays: () => pending.map(({ delayMs }) => delayMs),
    /** Lets the next one go off; false when there is none. */
    fire(): boolean {
      const next = pending.shift();
      next?.work();
      return next !== undefined;
    },
  };
}

/** The given database, counting the transactions that were begun. */
function counting(db: Database) {
  const counts = { transactions: 0 };
  const counted: Database = {
    exec: (sql) => {
      if (sql.startsWith('BEGIN')) counts.transactions += 1;
      db.exec(sql);
    },
    prepare: (sql) => db.prepare(sql),
    close: () => db.close(),
  };
  return { counts, counted };
}

/** A key that was made before the first row. */
export function testKeys(isNew = true): LogKeys {
  const keys = chainKeysOf(Buffer.alloc(32, 7));
  return { segments: [{ after: FIRST, anchor: FIRST, keys }], current: keys, isNew };
}

const HOUR_MS = 60 * 60_000;

type Options = Partial<Pick<Parameters<typeof createCallLog>[0], 'maxBatch' | 'limits' | 'keys' | 'packLater'>>;

/** A call log over a real database, with a clock and timers the test turns. */
export async function world(options: Options = {}) {
  const file = path.join(tempDir(), 'forge.db');
  const real = await openDatabase(file);
  onTestFinished(() => real.close());
  const { counts, counted: db } = counting(real);
  /** What the clock on the wall says, and what nobody can set. */
  const clock = { now: START, ran: 0 };
  const timer = handTimer();
  const problems: QueueProblem[] = [];
  const deps = {
    keys: testKeys(),
    headFile: path.join(path.dirname(file), 'call-log-head'),
    limits: { days: 30, rows: 1_000_000 },
    now: () => new Date(clock.now),
    monotonic: () => clock.ran,
    schedule: timer.schedule,
    packLater: (work: () => void) => {
      work();
      return () => undefined;
    },
    onProblem: (problem: QueueProblem) => void problems.push(problem),
    ...options,
  };
  const log = createCallLog({ db, ...deps });
  /** Lets days pass in which Forge runs; answers how many rows each hourly look has removed together. */
  const live = async (days: number): Promise<number> => {
    let removed = 0;
    for (let hour = 0; hour < days * 24; hour += 1) {
      clock.now += HOUR_MS;
      clock.ran += HOUR_MS;
      removed += await log.prune();
    }
    return removed;
  };
  return { file, db, counts, clock, timer, problems, deps, log, live };
}

/** The nth call of a test. */
export function entry(n: number, changes: Partial<CallEntry> = {}): CallEntry {
  return {
    id: `call_${n.toString(16).padStart(16, '0')}`,
    at: new Date(START + n * 1000),
    caller: 'http',
    toolId: 'jira.get_issue',
    connectorId: 'jira',
    args: { key: `ABC-${n}` },
    outcome: 'ok',
    code: null,
    message: null,
    durationMs: 12.4,
    stages: { expand: 0.1, run: 12 },
    trace: { request: { url: `https://jira.example/issue/ABC-${n}`, headers: { authorization: '[secret]' } } },
    ...changes,
  };
}
