import { ForgeError } from '../../shared/errors.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';
import type { Approvals } from './approvals.ts';
import { LONGEST_TIMER_MS } from '../base/longest-timer.ts';

/** `decided`: the repeated call says what came of it, be it that nobody answered in time. `later`: the question still waits. */
export type Settled = 'decided' | 'later';

interface WaitOptions {
  /** Whoever waits has left: once nobody waits any more, the question is withdrawn. */
  signal: StopSignal;
  /** How long a call is held for the answer; left out, it waits as long as the question does. */
  limitMs?: number;
}

export interface DecisionWaits {
  /** Waits until a person has decided. */
  wait(approvalId: string, options: WaitOptions): Promise<Settled>;
  /** Forge stops: calls that are held are answered at once, and their questions stay for the next start. */
  releaseHeld(): void;
}

/** Callers that wait for a person. Two that make the same call wait for the same answer. */
export function createDecisionWaits(approvals: Pick<Approvals, 'find' | 'listen' | 'withdraw'>): DecisionWaits {
  const waiting = new Map<string, number>();
  const held = new Set<() => void>();

  const join = (approvalId: string): void => void waiting.set(approvalId, (waiting.get(approvalId) ?? 0) + 1);
  /** True for the last one. */
  const leave = (approvalId: string): boolean => {
    const left = (waiting.get(approvalId) ?? 1) - 1;
    if (left > 0) waiting.set(approvalId, left);
    else waiting.delete(approvalId);
    return left <= 0;
  };

  return {
    wait: (approvalId, { signal, limitMs }) =>
      new Promise((resolve, reject) => {
        const question = approvals.find(approvalId);
        if (question?.status !== 'pending') {
          resolve('decided');
          return;
        }
        join(approvalId);
        const end = (): boolean => {
          silence();
          held.delete(release);
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          return leave(approvalId);
        };
        const settle = (outcome: Settled): void => {
          end();
          resolve(outcome);
        };
        const release = (): void => settle('later');
        const onAbort = (): void => {
          const { reason } = signal;
          reject(reason instanceof Error ? reason : new ForgeError('cancelled', 'the caller has left'));
          if (end()) approvals.withdraw(approvalId);
        };
        // A withdrawn one is reported as well.
        const silence = approvals.listen(({ id, status }) => {
          if (id === approvalId && status !== 'pending') settle('decided');
        });
        const leftMs = Date.parse(question.expires_at) - Date.now() + 1;
        const isHeld = limitMs !== undefined && limitMs < leftMs;
        const waitMs = Math.min(isHeld ? limitMs : leftMs, LONGEST_TIMER_MS);
        const timer = setTimeout(() => settle(isHeld ? 'later' : 'decided'), waitMs);
        if (limitMs !== undefined) held.add(release);
        if (signal.aborted) onAbort();
        else signal.addEventListener('abort', onAbort, { once: true });
      }),
    releaseHeld: () => {
      for (const release of [...held]) release();
    },
  };
}
