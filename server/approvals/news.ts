import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import type { Approval } from './approval.ts';

type Listener = (approval: Approval) => void;

/** Tells of approvals once what is told is committed. */
export function createNews(db: Database) {
  const listeners = new Set<Listener>();
  const fresh: Approval[] = [];
  const tell = (approval: Approval): void => {
    for (const listener of [...listeners]) listener(approval);
  };
  return {
    tell,
    /** Inside `commit`. */
    add: (approval: Approval): void => void fresh.push(approval),
    commit<T>(work: () => T): T {
      fresh.length = 0;
      const answer = transaction(db, work);
      for (const approval of fresh.splice(0)) tell(approval);
      return answer;
    },
    listen(listener: Listener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
