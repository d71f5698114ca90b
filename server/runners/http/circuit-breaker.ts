import { ForgeError } from '../../../shared/errors.ts';

const FAILURES_TO_OPEN = 5;
const OPEN_MS = 30_000;
/** Origins that failed once and were never called again are forgotten at last, oldest first. */
const MAX_ORIGINS = 1000;

interface Trouble {
  failures: number;
  reason: string;
  /** When the next trial may start; null while the circuit is closed. */
  retryAt: number | null;
  isTrialRunning: boolean;
}

/** How a call ended, as far as the health of its origin goes; `unknown` says nothing about it. */
export type Outcome = { kind: 'healthy' | 'unknown' } | { kind: 'failing'; reason: string };

/** A call that was let through; it must be reported back. */
export interface Passage {
  isTrial: boolean;
}

const ORDINARY: Passage = { isTrial: false };
const TRIAL: Passage = { isTrial: true };

/** Stops calling an origin that keeps failing, and lets one call through now and then to see whether it is back. */
export class CircuitBreaker {
  readonly #now: () => number;
  /** Only origins in trouble; a healthy one costs nothing. */
  readonly #troubles = new Map<string, Trouble>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Lets a call through or throws `circuit_open`. */
  enter(origin: string): Passage {
    const trouble = this.#troubles.get(origin);
    if (trouble?.retryAt === undefined || trouble.retryAt === null) return ORDINARY;
    const waitMs = trouble.retryAt - this.#now();
    if (waitMs > 0) throw circuitOpen(origin, trouble, `Forge tries again in ${seconds(waitMs)}`);
    if (trouble.isTrialRunning) throw circuitOpen(origin, trouble, 'Forge is trying it with another call right now');
    trouble.isTrialRunning = true;
    return TRIAL;
  }

  /** Reports how a call that was let through ended. */
  leave(origin: string, passage: Passage, outcome: Outcome): void {
    if (outcome.kind === 'healthy') {
      this.#troubles.delete(origin);
      return;
    }
    const trouble = this.#troubles.get(origin);
    if (trouble !== undefined && passage.isTrial) trouble.isTrialRunning = false;
    if (outcome.kind === 'failing') this.#count(origin, trouble, passage, outcome.reason);
  }

  #count(origin: string, known: Trouble | undefined, passage: Passage, reason: string): void {
    const trouble = known ?? { failures: 0, reason, retryAt: null, isTrialRunning: false };
    trouble.failures += 1;
    trouble.reason = reason;
    const opens = trouble.retryAt === null && trouble.failures >= FAILURES_TO_OPEN;
    // A call from before the circuit opened must not prolong it; a failed trial does.
    if (opens || passage.isTrial) trouble.retryAt = this.#now() + OPEN_MS;
    if (known === undefined) this.#remember(origin, trouble);
  }

  #remember(origin: string, trouble: Trouble): void {
    if (this.#troubles.size >= MAX_ORIGINS) {
      const [oldest] = this.#troubles.keys();
      if (oldest !== undefined) this.#troubles.delete(oldest);
    }
    this.#troubles.set(origin, trouble);
  }
}

function circuitOpen(origin: string, trouble: Trouble, when: string): ForgeError {
  const message = `${origin} was not called: the last ${trouble.failures} calls failed (${trouble.reason}). ${when}`;
  return new ForgeError('circuit_open', message);
}

function seconds(ms: number): string {
  const count = Math.ceil(ms / 1000);
  return count === 1 ? '1 second' : `${count} seconds`;
}
