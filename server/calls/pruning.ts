import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import { withFsync } from './append-calls.ts';
import { isSameLink, readAnchor, readHead, rowHash, writeHead, type ChainKeys, type Head, type Link } from './chain.ts';
import { openHeadFile, readHeadFile } from './head-file.ts';
import { addRunningTime } from './observed-days.ts';
import type { OutsideHead } from './outside-head.ts';
import { prune, removePruned, type PruneLimits } from './prune.ts';

interface PruningDeps {
  db: Database;
  keys: ChainKeys | null;
  headFile: string;
  limits: PruneLimits;
  outside: OutsideHead | undefined;
  /** Writes all that waits. */
  flush: () => void;
  now: () => Date;
  monotonic: () => number;
}

/** Less than this is not worth a write. */
const WORTH_KEEPING_MS = 60_000;

/** What is done to the log now and then, and at the end: one prune at a time, and the newest row is recorded outside. */
export function createPruning({ db, keys, headFile, limits, outside, flush, now, monotonic }: PruningDeps) {
  let lookedAt = monotonic();
  let last: Promise<unknown> = Promise.resolve();

  const sinceLastLook = (): number => {
    const ranMs = monotonic() - lookedAt;
    lookedAt += ranMs;
    return ranMs;
  };
  const fits = (known: Link): boolean => {
    if (known.seq > (readHead(db)?.seq ?? 0)) return false;
    const found = rowHash(db, readAnchor(db), known.seq);
    return found === null || found === known.hash;
  };
  const recordHead = async (): Promise<void> => {
    const head = readHead(db);
    if (keys === null || head === null) return;
    recordInFile(db, headFile, keys, head);
    await outside?.write(head, fits);
  };
  const pruneOnce = async (): Promise<number> => {
    flush();
    const done = prune({ db, keys, limits, now: now(), ranMs: sinceLastLook() });
    await recordHead();
    await removePruned(db);
    return done?.count ?? 0;
  };
  return {
    prune: (): Promise<number> => {
      const result = last.then(pruneOnce);
      last = result.catch(() => undefined); // whoever asked has the failure
      return result;
    },
    close: async (): Promise<void> => {
      await last;
      const ranMs = sinceLastLook();
      if (ranMs >= WORTH_KEEPING_MS) addRunningTime(db, ranMs);
      await recordHead();
    },
  };
}

function recordInFile(db: Database, headFile: string, keys: ChainKeys, head: Head): void {
  const known = readHeadFile(headFile, keys.head);
  // A file that somebody has taken away is not made again: its absence is what the check reports.
  if (typeof known === 'string' || isSameLink(known, head)) return;
  // The rows first, so that the file never claims more than the disk has.
  withFsync(db, () => transaction(db, () => writeHead(db, head)));
  const file = openHeadFile(headFile, keys.head);
  file.write(head);
  file.close();
}
