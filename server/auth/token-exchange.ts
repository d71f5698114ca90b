import { hash } from 'node:crypto';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';
import { exchangeFailed, hostOf, readAnswer, type Bearer, type ExchangeAnswer } from './exchange-answer.ts';
import type { ExchangeRequest } from './plan.ts';

/** Sends the request of an exchange; it must not follow redirects and brings its own deadline. */
export type SendExchange = (
  request: Pick<ExchangeRequest, 'method' | 'url' | 'headers' | 'body' | 'transport'>,
  signal: StopSignal,
) => Promise<ExchangeAnswer>;

/** Runs something later; the function it returns calls it off. */
type After = (ms: number, run: () => void) => () => void;

const realAfter: After = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

interface TokenExchangeDeps {
  send: SendExchange;
  now?: () => number;
  after?: After;
  maxBearers?: number;
}

interface GetOptions {
  signal: StopSignal;
  /** How long this caller can wait, if not as long as the exchange may take; it goes on for those who have more time. */
  timeoutMs?: number;
  /** The bearer that was answered with 401: it is replaced, unless another call has already done so. */
  force?: string;
}

export interface Authorization {
  /** The whole value of the Authorization header. */
  header: string;
  bearer: string;
}

/** One exchange under way and how many calls wait for it. */
interface Flight {
  readonly bearer: Promise<Bearer>;
  readonly controller: AbortController;
  waiting: number;
}

export type TokenExchange = ReturnType<typeof createTokenExchange>;

/** A bearer this close to its expiry could run out on the way (C-79). */
const REFRESH_BEFORE_MS = 60_000;

/** Keeps bearers in memory, and nowhere else (C-76). However many calls need the same one, one exchange is made for all of them. */
export function createTokenExchange({ send, now = Date.now, after = realAfter, maxBearers = 1000 }: TokenExchangeDeps) {
  const bearers = new Map<string, Bearer>();
  const flights = new Map<string, Flight>();

  const start = (key: string, exchange: ExchangeRequest): Flight => {
    const controller = new AbortController();
    const bearer = run(exchange, send, controller.signal, now);
    const flight: Flight = { bearer, controller, waiting: 0 };
    flights.set(key, flight);
    const land = (found: Bearer | null): void => {
      // One that everybody has left was replaced or dropped already.
      if (flights.get(key) !== flight) return;
      flights.delete(key);
      if (found !== null) keep(bearers, key, found, maxBearers);
    };
    bearer.then(land, () => land(null));
    return flight;
  };

  return {
    /** The bearer for a request, from memory while it is good. Ends early when this caller's signal does; other callers wait on. */
    async get(exchange: ExchangeRequest, { signal, timeoutMs, force }: GetOptions): Promise<Authorization> {
      signal.throwIfAborted();
      const key = keyOf(exchange);
      const known = bearers.get(key);
      if (known !== undefined && known.text !== force && known.expiresAt - now() > REFRESH_BEFORE_MS) {
        return authorization(exchange, known);
      }
      bearers.delete(key);
      const flight = flights.get(key) ?? start(key, exchange);
      const drop = (): void => {
        if (flights.get(key) === flight) flights.delete(key);
      };
      const late = (leave: (reason: unknown) => void) =>
        timeoutMs === undefined ? () => undefined : after(timeoutMs, () => leave(tooLate(exchange)));
      return authorization(exchange, await waitFor(flight, signal, late, drop));
    },
  };
}

/** Waits for a shared exchange; it is aborted only when nobody waits any more. */
function waitFor(
  flight: Flight,
  signal: StopSignal,
  late: (leave: (reason: unknown) => void) => () => void,
  drop: () => void,
): Promise<Bearer> {
  return new Promise((resolve, reject) => {
    const leave = (reason: unknown): void => {
      stay();
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        drop();
        flight.controller.abort(reason);
      }
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is whatever the caller aborted with
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
    flight.bearer.then(resolve, reject).finally(stay);
  });
}

function tooLate(exchange: ExchangeRequest): ForgeError {
  return new ForgeError(
    'upstream_timeout',
    `The token exchange with ${hostOf(exchange)} took longer than the call may.`,
  );
}

async function run(
  exchange: ExchangeRequest,
  send: SendExchange,
  signal: StopSignal,
  now: () => number,
): Promise<Bearer> {
  const { method, url, headers, body, transport } = exchange;
  let answer: ExchangeAnswer;
  try {
    answer = await send({ method, url, headers, body, ...(transport === undefined ? {} : { transport }) }, signal);
  } catch (error) {
    throw sendFailed(exchange, error);
  }
  return readAnswer(exchange, answer, now());
}

/** Keeps the code of a failure that is already told apart (unreachable, refused address, timeout) and says where it happened. */
function sendFailed(exchange: ExchangeRequest, error: unknown): ForgeError {
  if (!isForgeError(error)) return exchangeFailed(exchange, 'the request could not be sent', { cause: error });
  return new ForgeError(error.code, `The token exchange with ${hostOf(exchange)} failed: ${error.message}`, {
    hint: error.hint,
    cause: error,
  });
}

/**
 * The credential identity and the resolved address (C-76), and whatever else shapes the answer, so that two tenants or two token
 * fields of one login never share a bearer. Hashed, since the identity is a password.
 */
function keyOf(exchange: ExchangeRequest): string {
  const { identity, url, method, headers, bearerPath, expiresPath, expiresUnit, ttlSec, transport } = exchange;
  const parts = [identity, url, method, headers, bearerPath, expiresPath, expiresUnit, ttlSec, transport?.verifyTls];
  return hash('sha256', JSON.stringify(parts), 'base64');
}

function authorization({ format }: ExchangeRequest, { text }: Bearer): Authorization {
  return { header: format === 'bare' ? text : `Bearer ${text}`, bearer: text };
}

/** The one that was kept longest goes first when there are too many. */
function keep(bearers: Map<string, Bearer>, key: string, bearer: Bearer, max: number): void {
  bearers.delete(key);
  bearers.set(key, bearer);
  for (const oldest of bearers.keys()) {
    if (bearers.size <= max) return;
    bearers.delete(oldest);
  }
}
