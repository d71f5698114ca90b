import type { ForgeError } from '../../shared/errors.ts';
import { refusal, type Approval, type ApprovalRows } from './approval.ts';
import type { createNews } from './news.ts';

/** A question about a call that waits for its answer. */
export interface OpenQuestion {
  readonly id: string;
  /** The call has its answer from elsewhere, or ends without one: null. */
  close: (answer: boolean | null) => void;
  /** The call has ended, and whoever made it comes back with the answer. */
  leave: () => void;
  /** The error of a question that a client declined; null when it did not. */
  declined: () => ForgeError | null;
}

interface Deps {
  rows: ApprovalRows;
  news: ReturnType<typeof createNews>;
  now: () => Date;
  /** The questions that a call waits for right now. */
  awaited: Set<string>;
}

/** Listens for the answer to a question of a call that waits. A yes is used up at once: the call is under way and cannot come back for it. */
export function openQuestion(
  { rows, news, now, awaited }: Deps,
  { id }: Pick<Approval, 'id'>,
  onDecided: (approved: boolean) => void,
): OpenQuestion {
  const tell = (): void => {
    const approval = rows.get(id)?.approval;
    if (approval !== undefined) news.tell(approval);
  };
  awaited.add(id);
  const silence = (): void => {
    awaited.delete(id);
    stopListening();
  };
  const stopListening = news.listen((approval) => {
    if (approval.id !== id || (approval.status !== 'approved' && approval.status !== 'denied')) return;
    silence();
    const isYes = approval.status === 'approved';
    if (isYes && !rows.use(id)) return;
    onDecided(isYes);
    if (isYes) tell();
  });
  return {
    id,
    leave: silence,
    declined: () => {
      const approval = rows.get(id)?.approval;
      return approval?.status === 'denied' && approval.decided_by === 'client' ? refusal(approval) : null;
    },
    close(answer) {
      silence();
      if (rows.get(id)?.approval.status !== 'pending') return;
      if (answer === null) rows.withdraw(id);
      else {
        const at = now();
        rows.decide(id, { status: answer ? 'approved' : 'denied', by: 'person', at, expiresAt: at });
        if (answer) rows.use(id);
      }
      tell();
    },
  };
}
