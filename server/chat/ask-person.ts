import type { Approvals } from '../approvals/approvals.ts';
import { ForgeError } from '../../shared/errors.ts';

type Asking = Pick<Approvals, 'find' | 'listen' | 'withdraw'>;

/**
 * Waits until a person has decided, or their time is over: the pipeline says which when the call is repeated. When the answer is
 * stopped meanwhile, the question is withdrawn.
 */
export function waitForDecision(approvals: Asking, approvalId: string, signal: AbortSignal): Promise<'decided'> {
  return new Promise((resolve, reject) => {
    const waiting = approvals.find(approvalId);
    if (waiting?.status !== 'pending') {
      resolve('decided');
      return;
    }
    const end = (): void => {
      silence();
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve('decided');
    };
    const onAbort = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new ForgeError('cancelled', 'the answer was stopped'));
      approvals.withdraw(approvalId);
    };
    // A withdrawn one is told as well.
    const silence = approvals.listen(({ id, status }) => {
      if (id === approvalId && status !== 'pending') end();
    });
    const timer = setTimeout(end, Date.parse(waiting.expires_at) - Date.now() + 1);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
