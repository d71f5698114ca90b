import { ForgeError, isForgeError } from '../../../shared/errors.ts';
import { timeoutFailure, type Stage } from './failures.ts';

/** Waits, and rejects as soon as the signal says so. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

interface Limits {
  host: string;
  method: string;
  timeoutMs: number;
  /** The caller's own wish to stop. */
  signal: AbortSignal;
  now: () => number;
}

/** The one end of a call, redirects and waits included: its time is up, or its caller went away. */
export class Deadline {
  /** What is being waited for, so that a timeout can say so. */
  stage: Stage = 'connecting';
  readonly endsAt: number;
  readonly #controller = new AbortController();
  readonly #limits: Limits;
  readonly #timer: NodeJS.Timeout;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.endsAt = limits.now() + limits.timeoutMs;
    this.#timer = setTimeout(this.#expire, limits.timeoutMs);
    if (limits.signal.aborted) this.#cancel();
    else limits.signal.addEventListener('abort', this.#cancel, { once: true });
  }

  /** Aborts with a ForgeError as its reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits on the call's time. */
  async wait(ms: number, sleep: Sleep): Promise<void> {
    try {
      await sleep(ms, this.signal);
    } catch (error) {
      this.signal.throwIfAborted();
      throw error;
    }
    this.signal.throwIfAborted();
  }

  /** Lets go of the timer and the caller's signal. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#limits.signal.removeEventListener('abort', this.#cancel);
  }

  readonly #expire = (): void => {
    const { host, method, timeoutMs } = this.#limits;
    this.#controller.abort(timeoutFailure({ host, method, stage: this.stage, timeoutMs }));
  };

  readonly #cancel = (): void => {
    const reason: unknown = this.#limits.signal.reason;
    const error = isForgeError(reason)
      ? reason
      : new ForgeError('cancelled', `the request to ${this.#limits.host} was stopped`, { cause: reason });
    this.#controller.abort(error);
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
