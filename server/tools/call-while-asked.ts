import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { Stop, type StopSignal } from '../../shared/stop-signal.ts';
import type { CallAnswer, CallRequest } from './call-tool.ts';

/** The longest that a caller who hears nothing meanwhile is kept waiting for a person: clients give up after a minute. */
export const MAX_SILENT_MS = 50_000;

/** What a call is given, so that it can be ended while a browser asks. */
export type WhileAsked = Required<Pick<CallRequest, 'signal' | 'onAsked'>>;

interface AskedOptions {
  /** The caller's own. */
  signal: StopSignal;
  call: (asked: WhileAsked) => Promise<CallAnswer>;
  /** How long the call is held once a person is asked; null: as long as the browser asks. */
  holdMs: number | null;
  /** `leave` ends the call, at once or after some time, and leaves its question open, as the end of `holdMs` does. */
  onAsked?: ((approvalId: string, reason: string, leave: (afterMs?: number) => void) => void) | undefined;
}

/** Makes a call that a browser may ask a person about while it runs. If it is left, the answer is that it waits, as for any other tool. */
export async function callWhileAsked({ signal, call, holdMs, onAsked }: AskedOptions): Promise<CallAnswer> {
  const stop = new Stop();
  const follow = (): void => stop.abort(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow);
  let timer: NodeJS.Timeout | undefined;
  let asked: { approvalId: string; reason: string } | undefined;
  const leave = (): void => stop.abort(new ForgeError('approval_required', 'A person has to answer first.'));
  let isOver = false;
  const leaveIn = (ms: number): void => {
    if (!isOver) timer ??= setTimeout(leave, ms);
  };
  try {
    const outcome = await call({
      signal: stop,
      onAsked: (approvalId, reason) => {
        asked = { approvalId, reason };
        if (holdMs !== null) leaveIn(holdMs);
        onAsked?.(approvalId, reason, (afterMs) => (afterMs === undefined ? leave() : leaveIn(afterMs)));
      },
    });
    const isLeft = outcome.kind === 'failed' && isForgeError(outcome.error, 'approval_required');
    return isLeft && asked !== undefined
      ? { kind: 'approval', callId: outcome.callId, ...asked, wasHeld: true }
      : outcome;
  } finally {
    isOver = true;
    clearTimeout(timer);
    signal.removeEventListener('abort', follow);
  }
}
