import { setMeta } from '../store/meta.ts';
import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';

/** Whether calls can be recorded. */
export interface LogState {
  /** Told how each write went; null when it went well. */
  took(error: unknown): void;
  /** Why calls cannot be recorded, in words that name no path; null when they can. */
  problem(): string | null;
}

const PROBE = 'calls_probe';
const PROBE_EVERY_MS = 1000;

/** After a failure nothing may come to be written for a long time, so whoever asks finds out whether the disk has recovered. */
export function createLogState(db: Database, monotonic: () => number = () => performance.now()): LogState {
  let reason: string | null = null;
  let triedAt = 0;
  const took = (error: unknown): void => {
    reason = error === null ? null : reasonOf(error);
    triedAt = monotonic();
  };
  const probe = (): void => {
    try {
      transaction(db, () => setMeta(db, PROBE, new Date().toISOString()));
      took(null);
    } catch (error) {
      took(error);
    }
  };
  return {
    took,
    problem: () => {
      if (reason !== null && monotonic() - triedAt >= PROBE_EVERY_MS) probe();
      return reason;
    },
  };
}

/** By its text: an error that comes from a thread has lost everything else. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/disk is full|ENOSPC/.test(text)) return 'the disk is full';
  if (/read-?only|EROFS/i.test(text)) return 'the disk is read-only';
  if (/in use by another process/.test(text)) return 'the database is in use by another process';
  return 'the disk reported an error';
}
