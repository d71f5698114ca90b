import { isRecord } from '../../shared/json.ts';
import { getMeta, setMeta } from '../store/meta.ts';
import type { Database } from '../store/sqlite.ts';

const KEY = 'calls_day';
const HOUR_MS = 60 * 60_000;
/** So much later by the clock it is another day… */
const DAY_MS = 20 * HOUR_MS;
/** …if Forge has also been running for so long since the last one, which a clock that is set cannot make true. */
const RUNNING_MS = HOUR_MS / 2;

interface Day {
  /** By the clock, when the last day was counted. */
  at: number;
  /** How long Forge has run since, by a clock that nobody can set. */
  ranMs: number;
}

/**
 * Counts the days that Forge has seen pass. The clock alone is no evidence: set forty days ahead, it makes everything look old at once.
 * Answers whether one more day has passed; at most one has, however far the clock went.
 */
export function observeDay(db: Database, now: number, ranMs: number): boolean {
  const last = readDay(db);
  // The first look, or a clock that was set back: from here on it is counted anew.
  if (last === null || now < last.at) {
    writeDay(db, { at: now, ranMs: 0 });
    return false;
  }
  const day: Day = { at: last.at, ranMs: last.ranMs + Math.max(0, ranMs) };
  const hasPassed = now - day.at >= DAY_MS && day.ranMs >= RUNNING_MS;
  writeDay(db, hasPassed ? { at: now, ranMs: 0 } : day);
  return hasPassed;
}

/** Keeps the time that Forge has run, where it ends before the next look. */
export function addRunningTime(db: Database, ranMs: number): void {
  const last = readDay(db);
  if (last !== null) writeDay(db, { ...last, ranMs: last.ranMs + Math.max(0, ranMs) });
}

function readDay(db: Database): Day | null {
  try {
    const read: unknown = JSON.parse(getMeta(db, KEY) ?? 'null');
    if (!isRecord(read)) return null;
    const { at, ranMs } = read;
    return typeof at === 'number' && typeof ranMs === 'number' ? { at, ranMs } : null;
  } catch {
    // Not what Forge writes: counting starts again, and nothing is pruned the sooner for it.
    return null;
  }
}

function writeDay(db: Database, day: Day): void {
  setMeta(db, KEY, JSON.stringify(day));
}
