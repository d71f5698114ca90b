import { getMeta, setMeta } from '../../../store/meta.ts';
import type { Database } from '../../../store/sqlite.ts';
import { endMarked } from '../marked-processes.ts';

/** What the programs of a Forge carry in their environment, written down for the Forge after it. */
export interface ProgramRecord {
  write(mark: string): void;
  clear(): void;
}

const KEY = 'programs_mark';

export function createProgramRecord(db: Database): ProgramRecord {
  return {
    write: (mark) => setMeta(db, KEY, mark),
    clear: () => setMeta(db, KEY, null),
  };
}

/**
 * Ends what a Forge on this data dir has left behind that was killed together with everything that guarded its programs; returns how
 * many there were. Whoever calls it owns the data dir, so that Forge is gone.
 */
export function endLeftPrograms(db: Database): number {
  const mark = getMeta(db, KEY);
  if (mark === null || mark === '') return 0;
  setMeta(db, KEY, null);
  return endMarked(mark);
}
