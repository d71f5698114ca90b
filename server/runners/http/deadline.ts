import { ForgeError, isForgeError } from '../../../shared/errors.ts';
import type { StopSignal } from '../../../shared/stop-signal.ts';
import { timeoutFailure, type Stage } from './failures.ts';

/** Waits, and rejects as soon as the signal says so. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

interface Limits {
  host: string;
  method: string;
  timeoutMs: number;
  /** The caller's own wish to stop. */
  signal: StopSignal;
  now: () => number;
}

/** The one end of a call, redirects and waits included: its time is up, or its caller went away. */
export class Deadline {
  /** What is being waited for, so that a timeout can say so. */
  stage: Stage = 'connecting';
  readonly endsAt: number;
  readonly #limits: Limits;
  readonly #timer: NodeJS.Timeout;
  #reason: ForgeError | null = null;
  /** Told when the end comes. One at a time: a call waits for one thing only. */
  #listener: (() => void) | null = null;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.endsAt = limits.now() + limits.timeoutMs;
    this.#timer = setTimeout(this.#expire, limits.timeoutMs);
    if (limits.signal.aborted) this.#cancel();
    else limits.signal.addEventListener('abort', this.#cancel);
  }

  /** Why the call is over; null while it may go on. */
  get reason(): ForgeError | null {
    return this.#reason;
  }

  /** Whom to tell of the end; null for nobody. A signal of its own would cost as much as the rest of the deadline. */
  tell(listener: (() => void) | null): void {
    this.#listener = listener;
  }

  /** Waits on the call's time. */
  async wait(ms: number, sleep: Sleep): Promise<void> {
    const controller = new AbortController();
    this.tell(() => controller.abort(this.#reason));
    if (this.#reason !== null) throw this.#reason;
    try {
      await sleep(ms, controller.signal);
    } catch (error) {
      // The reason says more than the sleep does.
      throw this.reason ?? error;
    } finally {
      this.tell(null);
    }
  }

  /** Lets go of the timer and the caller's signal. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#limits.signal.removeEventListener('abort', this.#cancel);
  }

  #end(reason: ForgeError): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#listener?.();
  }

  readonly #expire = (): void => {
    const { host, method, timeoutMs } = this.#limits;
    this.#end(timeoutFailure({ host, method, stage: this.stage, timeoutMs }));
  };

  readonly #cancel = (): void => {
    const reason: unknown = this.#limits.signal.reason;
    this.#end(
      isForgeError(reason)
        ? reason
        : new ForgeError('cancelled', `the request to ${this.#limits.host} was stopped`, { cause: reason }),
    );
  };
}

/** The real clock's way of waiting. */
export const systemSleep: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      // Whoever aborts a call gives an error as the reason.
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
