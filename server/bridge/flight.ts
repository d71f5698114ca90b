import { notificationFrame } from '../../shared/bridge.ts';
import type { Allowed, Asking } from '../../shared/bridge-approvals.ts';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';
import type { Clock } from './clock.ts';

/** What a browser answered: the head's result, unchecked, and the body as it came. */
export interface RawAnswer {
  result: unknown;
  body: string | null;
}

interface FlightSpec {
  id: number;
  browserId: string;
  /** What the browser knows the call by; null for what cannot be cancelled. */
  callId: string | null;
  /** From now to the end of anybody's patience. */
  limitMs: number;
  signal: StopSignal;
  clock: Clock;
  /** Only for a call that a person is asked about. */
  onAllowed?: ((allowed: Allowed) => void) | undefined;
  onAsking?: ((state: Asking['state']) => void) | undefined;
  /** Masks secrets in what the browser reports. */
  redact: (text: string) => string;
  /** Told once, when it is over; `answered` is false when the server gave up first. */
  onEnd: (flight: Flight, answered: boolean) => void;
}

/** A request that has been sent and waits for its answer. It ends once: answered, out of time, cancelled, or lost. */
export class Flight {
  readonly id: number;
  readonly browserId: string;
  readonly callId: string | null;
  readonly redact: FlightSpec['redact'];
  readonly answer: Promise<RawAnswer>;
  readonly #spec: FlightSpec;
  readonly #stopTimer: () => void;
  #stopGrace: () => void = () => undefined;
  #onAllowed: FlightSpec['onAllowed'];
  /** What a person has said elsewhere. */
  decision: boolean | null = null;
  #settle: { resolve: (answer: RawAnswer) => void; reject: (error: Error) => void } | null = null;

  constructor(spec: FlightSpec) {
    const { limitMs, signal, clock } = spec;
    this.id = spec.id;
    this.browserId = spec.browserId;
    this.callId = spec.callId;
    this.redact = spec.redact;
    this.#spec = spec;
    this.#onAllowed = spec.onAllowed;
    this.answer = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#stopTimer = clock.after(limitMs, () =>
      this.fail(new ForgeError('call_timeout', `the browser did not answer within ${seconds(limitMs)}`)),
    );
    signal.addEventListener('abort', this.#cancel, { once: true });
  }

  /** One answer to one question; false when nothing was asked. */
  allow(allowed: Allowed): boolean {
    const tell = this.#onAllowed;
    this.#onAllowed = undefined;
    tell?.(allowed);
    return tell !== undefined;
  }

  /** How far the question in the browser has got; false when nothing was asked. */
  ask(state: Asking['state']): boolean {
    this.#spec.onAsking?.(state);
    return this.#spec.onAsking !== undefined;
  }

  /** Hands the browser what a person has said elsewhere, if they have. */
  tellDecision(send: (text: string) => boolean): void {
    if (this.callId !== null && this.decision !== null)
      send(notificationFrame('connector.decide', { call_id: this.callId, approved: this.decision }));
  }

  arrive(answer: RawAnswer): void {
    this.#end(true)?.resolve(answer);
  }

  /** Ends without an answer; `answered` says whether the browser knows that it is over. */
  fail(error: ForgeError, answered = false): void {
    this.#end(answered)?.reject(error);
  }

  /** Its socket is gone: the answer may still come over the next one, if that is soon. */
  lose(graceMs: number): void {
    this.#stopGrace();
    this.#stopGrace = this.#spec.clock.after(graceMs, () =>
      this.fail(new ForgeError('bridge_offline', 'the connection to the browser was lost while the call ran')),
    );
  }

  /** The browser is back and still at work on it. */
  find(): void {
    this.#stopGrace();
  }

  #end(answered: boolean) {
    const settle = this.#settle;
    if (settle === null) return null;
    this.#settle = null;
    this.#stopTimer();
    this.#stopGrace();
    this.#spec.signal.removeEventListener('abort', this.#cancel);
    this.#spec.onEnd(this, answered);
    return settle;
  }

  readonly #cancel = (): void => this.fail(abortError(this.#spec.signal));
}

/** The caller went away, unless whoever stopped it says that it was something else. */
export function abortError(signal: StopSignal): ForgeError {
  const reason: unknown = signal.reason;
  if (isForgeError(reason)) return reason;
  return new ForgeError('cancelled', 'the call was stopped', { cause: reason });
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}
