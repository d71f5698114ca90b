import type { Approval } from './approval.ts';
import type { Approvals } from './approvals.ts';
import { LONGEST_TIMER_MS } from '../base/longest-timer.ts';

interface TellDeps {
  approvals: Pick<Approvals, 'countPending' | 'list' | 'listen'>;
  /** Told how many calls wait for a person, whenever that may have changed. */
  tell: (count: number) => void;
  /** Told of each question that is new. */
  notify: (approval: Approval) => void;
  now: () => number;
}

/** Says how many calls wait for a person. A question whose time is up ends without an event, so that is looked for. */
export function tellWaiting({ approvals, tell, notify, now }: TellDeps): () => void {
  let timer: NodeJS.Timeout | undefined;
  let told = 0;
  const look = (): void => {
    clearTimeout(timer);
    const count = approvals.countPending();
    if (count !== told) tell((told = count));
    const [first] = approvals.list({ status: 'pending', order: 'oldest', limit: 1 });
    if (first === undefined) return;
    const leftMs = Date.parse(first.expires_at) - now();
    timer = setTimeout(look, Math.min(Math.max(1000, leftMs), LONGEST_TIMER_MS));
    timer.unref();
  };
  const silence = approvals.listen((approval) => {
    if (approval.status === 'pending') notify(approval);
    look();
  });
  look();
  return () => {
    silence();
    clearTimeout(timer);
  };
}
