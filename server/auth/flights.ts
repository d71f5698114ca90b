import type { StopSignal } from '../../shared/stop-signal.ts';

/** Runs something later; the function it returns calls it off. */
export type After = (ms: number, run: () => void) => () => void;

const realAfter: After = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** One fetch under way and how many calls wait for it. */
interface Flight<Value> {
  readonly value: Promise<Value>;
  readonly controller: AbortController;
  waiting: number;
}

interface FlightsOptions {
  after?: After | undefined;
  /** How many values are kept. */
  max?: number | undefined;
}

interface FlightRequest<Value> {
  fetch: (signal: StopSignal) => Promise<Value>;
  /** Whether a value that is kept may still be used. */
  isGood: (value: Value) => boolean;
  signal: StopSignal;
  /** How long this caller can wait, if not as long as the fetch may take; it goes on for those who have more time. */
  timeoutMs: number | undefined;
  tooLate: () => Error;
}

/**
 * Keeps what a login has brought, in memory and nowhere else (C-76). However many calls need the same value, it is fetched once for all
 * of them. Failures are not kept.
 */
export function createFlights<Value>({ after = realAfter, max = 1000 }: FlightsOptions) {
  const kept = new Map<string, Value>();
  const flights = new Map<string, Flight<Value>>();

  const start = (key: string, fetch: FlightRequest<Value>['fetch']): Flight<Value> => {
    const controller = new AbortController();
    const value = fetch(controller.signal);
    const flight: Flight<Value> = { value, controller, waiting: 0 };
    flights.set(key, flight);
    const land = (found: { value: Value } | null): void => {
      // One that everybody has left was replaced or dropped already.
      if (flights.get(key) !== flight) return;
      flights.delete(key);
      if (found !== null) keep(kept, key, found.value, max);
    };
    value.then(
      (found) => land({ value: found }),
      () => land(null),
    );
    return flight;
  };

  return {
    /** The value for a key, from memory while it is good. Ends early when this caller's signal does; other callers wait on. */
    async get(key: string, { fetch, isGood, signal, timeoutMs, tooLate }: FlightRequest<Value>): Promise<Value> {
      signal.throwIfAborted();
      const known = kept.get(key);
      if (known !== undefined && isGood(known)) return known;
      kept.delete(key);
      const flight = flights.get(key) ?? start(key, fetch);
      const drop = (): void => {
        if (flights.get(key) === flight) flights.delete(key);
      };
      const late = (leave: (reason: unknown) => void) =>
        timeoutMs === undefined ? () => undefined : after(timeoutMs, () => leave(tooLate()));
      return waitFor(flight, signal, late, drop);
    },
  };
}

/** Waits for a shared fetch; it is aborted only when nobody waits any more. */
function waitFor<Value>(
  flight: Flight<Value>,
  signal: StopSignal,
  late: (leave: (reason: unknown) => void) => () => void,
  drop: () => void,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const leave = (reason: unknown): void => {
      stay();
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        drop();
        flight.controller.abort(reason);
      }
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is whatever the caller aborted with
      reject(reason);
    };
    const onAbort = (): void => leave(signal.reason);
    const callOff = late(leave);
    const stay = (): void => {
      callOff();
      signal.removeEventListener('abort', onAbort);
    };
    flight.waiting += 1;
    signal.addEventListener('abort', onAbort, { once: true });
    flight.value.then(resolve, reject).finally(stay);
  });
}

/** The one that was kept longest goes first when there are too many. */
function keep<Value>(kept: Map<string, Value>, key: string, value: Value, max: number): void {
  kept.delete(key);
  kept.set(key, value);
  for (const oldest of kept.keys()) {
    if (kept.size <= max) return;
    kept.delete(oldest);
  }
}
