import { setImmediate as nextTurn } from 'node:timers/promises';
import { getMeta, setMeta } from '../store/meta.ts';
import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import { createAddRows, withFsync } from './append-calls.ts';
import { readAnchor, readHead, writeAnchor, writeHead, type ChainKeys, type Head, type Link } from './chain.ts';
import { dayNotes, noteColumns } from './notes.ts';
import { observeDay } from './observed-days.ts';

export interface PruneLimits {
  days: number;
  rows: number;
}

interface PruneDeps {
  db: Database;
  keys: ChainKeys | null;
  limits: PruneLimits;
  now: Date;
  /** How long Forge has run since the last prune. */
  ranMs: number;
}

const DAY_MS = 24 * 60 * 60_000;
/** No prune takes more than this share of the log, however old or long it seems to be… */
const MAX_SHARE = 0.1;
/** …unless that would be fewer than this. */
const MIN_ROWS = 100;
/** So much longer may the log be: otherwise every note of a prune would ask for another one. */
const SLACK = 0.01;
/** Rows are removed a few at a time, with a turn for other work in between. */
const SLICE_ROWS = 300;
/** Set while rows of a prune are still there. */
const REMOVING = 'calls_removing';

export function isRemoving(db: Database): boolean {
  return getMeta(db, REMOVING) !== null;
}

/**
 * Moves the start of the chain behind rows that are old, or too many, and notes that in the chain itself. Answers the new head, or null
 * when nothing is to be pruned. The rows themselves are removed by `removePruned`.
 */
export function prune({ db, keys, limits, now, ranMs }: PruneDeps): { head: Head; count: number } | null {
  const addRows = createAddRows(db, keys);
  return withFsync(db, () =>
    transaction(db, () => {
      const day = observeDay(db, now.getTime(), ranMs);
      if (day) addRows([noteColumns('day', 'Forge has seen one more day pass.', {}, now)]);
      const plan = planOf(db, keys, limits, now);
      if (plan === null) return null;
      const { last, from, why } = plan;
      const count = last.seq - from + 1;
      const words = why === 'age' ? `older than ${limits.days} days` : `beyond the newest ${limits.rows}`;
      const args = { from, to: last.seq, hash: last.hash, count, why };
      const { head } = addRows([noteColumns('pruned', `${count} rows were removed: ${words}.`, args, now)]);
      writeAnchor(db, last);
      setMeta(db, REMOVING, '1');
      // What was missing before this point is past; from here on the numbers say how many there must be.
      const shorter = { ...head, count: head.seq - last.seq };
      writeHead(db, shorter);
      return { head: shorter, count };
    }),
  );
}

function planOf(
  db: Database,
  keys: ChainKeys | null,
  limits: PruneLimits,
  now: Date,
): { from: number; last: Link; why: 'age' | 'count' } | null {
  const head = readHead(db);
  if (head === null) return null;
  const anchor = readAnchor(db);
  const total = head.seq - anchor.seq;
  const farthest = anchor.seq + Math.max(MIN_ROWS, Math.floor(total * MAX_SHARE));
  const byAge = lastOldRow(db, keys, limits.days, now);
  const isTooLong = total > limits.rows * (1 + SLACK);
  const byCount = isTooLong ? lastSurplusRow(db, keys, head.seq - limits.rows) : 0;
  const end = Math.min(Math.max(byAge, byCount), farthest);
  const row = db.prepare('SELECT seq, hash FROM calls WHERE seq > ? AND seq <= ? ORDER BY seq DESC LIMIT 1');
  const found = row.get(anchor.seq, end);
  if (found === undefined) return null;
  const calls = db.prepare(`SELECT 1 AS found FROM calls WHERE seq > ? AND seq <= ? AND outcome <> 'note' LIMIT 1`);
  // Notes go along with calls; alone they are not worth another note.
  if (calls.get(anchor.seq, end) === undefined) return null;
  const last = { seq: Number(found['seq']), hash: String(found['hash']) };
  return { from: anchor.seq + 1, last, why: last.seq <= byAge ? 'age' : 'count' };
}

/** Old are rows that so many days have passed for, both by what Forge has seen and by the clock. */
function lastOldRow(db: Database, keys: ChainKeys | null, days: number, now: Date): number {
  const seen = dayNotes(db, keys, days);
  const oldest = seen.length < days ? undefined : seen.at(-1);
  if (oldest === undefined) return 0;
  const cutoff = new Date(now.getTime() - days * DAY_MS).toISOString();
  // Rows of a clock that was ahead would otherwise be kept until it comes true.
  const young = db
    .prepare('SELECT min(seq) AS seq FROM calls WHERE at >= ? AND at <= ?')
    .get(cutoff, now.toISOString());
  const first = young?.['seq'];
  return Math.min(Number(oldest['seq']) - 1, typeof first === 'number' ? first - 1 : Infinity);
}

/** Nothing of the current day is surplus: a flood of calls must not push out what was done just before it. */
function lastSurplusRow(db: Database, keys: ChainKeys | null, surplus: number): number {
  const today = dayNotes(db, keys, 1)[0];
  return today === undefined ? 0 : Math.min(surplus, Number(today['seq']) - 1);
}

/** Removes the rows before the start of the chain, also those that an earlier run has left. */
export async function removePruned(db: Database, turn: () => Promise<unknown> = nextTurn): Promise<void> {
  if (!isRemoving(db)) return;
  const { seq: end } = readAnchor(db);
  const first = db.prepare('SELECT min(seq) AS seq FROM calls WHERE seq <= ?');
  const remove = db.prepare('DELETE FROM calls WHERE seq < ? AND seq <= ?');
  for (;;) {
    const next = first.get(end)?.['seq'];
    if (typeof next !== 'number') break;
    remove.run(next + SLICE_ROWS, end);
    await turn();
  }
  setMeta(db, REMOVING, null);
}
