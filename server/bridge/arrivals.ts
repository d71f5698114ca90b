import { ForgeError } from '../../shared/errors.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';
import type { Browser, Browsers } from './browsers.ts';
import type { Clock } from './clock.ts';
import { abortError } from './flight.ts';

/** A browser that was here this recently is probably between two connections. */
const BETWEEN_MS = 15_000;
/** How long a call waits for it. */
const WAIT_MS = 5000;
const MAX_WAITING = 100;

const INSTALL = 'install + sign in to the Forge extension';

interface Patience {
  /** What the call has waited already. */
  waitedMs: number;
  /** The most it may take. */
  limitMs: number;
  signal: StopSignal;
}

interface Waiter {
  /** Null when any browser will do. */
  browserId: string | null;
  arrived: () => void;
  fail: (error: ForgeError) => void;
}

/** Waiting for a browser that is between two connections; nobody waits for one that is simply closed. */
export class Arrivals {
  readonly #browsers: Pick<Browsers, 'list'>;
  readonly #clock: Clock;
  readonly #leftAt = new Map<string, number>();
  readonly #waiters = new Set<Waiter>();

  constructor(browsers: Pick<Browsers, 'list'>, clock: Clock) {
    this.#browsers = browsers;
    this.#clock = clock;
  }

  /** Resolves when a browser has come back; fails when none is expected, or none comes in time. */
  next(named: Browser | null, { waitedMs, limitMs, signal }: Patience): Promise<void> {
    const ms = Math.min(WAIT_MS, limitMs) - waitedMs;
    if (ms <= 0 || !this.#isExpected(named)) return Promise.reject(this.#missing(named));
    if (this.#waiters.size >= MAX_WAITING)
      return Promise.reject(new ForgeError('browser_busy', 'too many calls wait for a browser to come back'));
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiters.delete(waiter);
        stopTimer();
        signal.removeEventListener('abort', cancel);
      };
      const waiter: Waiter = {
        browserId: named?.id ?? null,
        arrived: () => {
          end();
          resolve();
        },
        fail: (error) => {
          end();
          reject(error);
        },
      };
      const cancel = () => waiter.fail(abortError(signal));
      const stopTimer = this.#clock.after(ms, () => waiter.fail(this.#missing(named)));
      signal.addEventListener('abort', cancel, { once: true });
      this.#waiters.add(waiter);
    });
  }

  arrived(browserId: string): void {
    this.#leftAt.delete(browserId);
    for (const waiter of [...this.#waiters]) {
      if (waiter.browserId === null || waiter.browserId === browserId) waiter.arrived();
    }
  }

  left(browserId: string): void {
    this.#leftAt.set(browserId, this.#clock.now());
  }

  /** Nobody waits for a browser that was revoked. */
  forget(browserId: string): void {
    this.#leftAt.delete(browserId);
    for (const waiter of [...this.#waiters]) {
      if (!this.#isExpected(null) || waiter.browserId === browserId) waiter.fail(this.#missing(null));
    }
  }

  close(): void {
    for (const waiter of [...this.#waiters]) waiter.fail(new ForgeError('shutting_down', 'Forge is stopping'));
  }

  #isExpected(named: Browser | null): boolean {
    const since = this.#clock.now() - BETWEEN_MS;
    if (named !== null) return (this.#leftAt.get(named.id) ?? 0) > since;
    return [...this.#leftAt.values()].some((at) => at > since);
  }

  #missing(named: Browser | null): ForgeError {
    if (named !== null)
      return new ForgeError('extension_missing', `the browser ${named.name} is not connected: open it, or ${INSTALL}`);
    const names = this.#browsers.list().map(({ name }) => name);
    if (names.length === 0) return new ForgeError('extension_missing', `no browser is connected: ${INSTALL}`);
    return new ForgeError(
      'extension_missing',
      `none of your browsers is connected (${names.join(', ')}): open one, or ${INSTALL}`,
    );
  }
}
