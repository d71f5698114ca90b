import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { Stop, type StopSignal } from '../../shared/stop-signal.ts';
import type { CallAnswer, CallRequest } from './call-tool.ts';

/** The longest that a caller who hears nothing meanwhile is kept waiting for a person: clients give up after a minute. */
export const MAX_SILENT_MS = 50_000;

/**
 * Follows a call that a browser asks a person about while it runs. When it has been held long enough, or the caller leaves, the call ends
 * and its question stays open: the answer is then that it waits, as for any other tool.
 */
export class AskedMeanwhile {
  readonly #request: Pick<CallRequest, 'onAsked' | 'holdMs'>;
  readonly #caller: StopSignal;
  readonly #stop = new Stop();
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #asked: { approvalId: string; reason: string } | undefined;

  constructor(caller: StopSignal, request: Pick<CallRequest, 'onAsked' | 'holdMs'>) {
    this.#caller = caller;
    this.#request = request;
    if (caller.aborted) this.#follow();
    else caller.addEventListener('abort', this.#follow);
  }

  get signal(): StopSignal {
    return this.#stop;
  }

  readonly onAsked = (approvalId: string, reason: string): void => {
    const { holdMs, onAsked } = this.#request;
    this.#asked = { approvalId, reason };
    if (holdMs !== undefined) this.#leaveIn(holdMs);
    onAsked?.(approvalId, reason, (afterMs) => (afterMs === undefined ? this.#leave() : this.#leaveIn(afterMs)));
  };

  answerOf(failed: CallAnswer): CallAnswer {
    const isLeft = failed.kind === 'failed' && isForgeError(failed.error, 'approval_required');
    if (!isLeft || this.#asked === undefined) return failed;
    return { kind: 'approval', callId: failed.callId, ...this.#asked, wasHeld: true };
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#caller.removeEventListener('abort', this.#follow);
  }

  #leaveIn(ms: number): void {
    if (!this.#isOver) this.#timer ??= setTimeout(this.#leave, ms);
  }

  readonly #follow = (): void => this.#stop.abort(this.#caller.reason);
  readonly #leave = (): void => this.#stop.abort(new ForgeError('approval_required', 'A person has to answer first.'));
}
