import { hash } from 'node:crypto';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';
import { exchangeFailed, hostOf, readAnswer, type Bearer, type ExchangeAnswer } from './exchange-answer.ts';
import { createFlights, type After } from './flights.ts';
import type { ExchangeRequest } from './plan.ts';

/** Sends the request of an exchange; it must not follow redirects and brings its own deadline. */
export type SendExchange = (
  request: Pick<ExchangeRequest, 'url' | 'headers' | 'body' | 'transport'> & { method: string },
  signal: StopSignal,
) => Promise<ExchangeAnswer>;

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

export type TokenExchange = ReturnType<typeof createTokenExchange>;

/** A bearer this close to its expiry could run out on the way (C-79). */
const REFRESH_BEFORE_MS = 60_000;

/** Keeps bearers in memory, and nowhere else (C-76). However many calls need the same one, one exchange is made for all of them. */
export function createTokenExchange({ send, now = Date.now, after, maxBearers }: TokenExchangeDeps) {
  const flights = createFlights<Bearer>({ after, max: maxBearers });
  return {
    /** The bearer for a request, from memory while it is good. */
    async get(exchange: ExchangeRequest, { signal, timeoutMs, force }: GetOptions): Promise<Authorization> {
      const bearer = await flights.get(keyOf(exchange), {
        ...{ signal, timeoutMs },
        fetch: (stop) => run(exchange, send, stop, now),
        isGood: ({ text, expiresAt }) => text !== force && expiresAt - now() > REFRESH_BEFORE_MS,
        tooLate: () => tooLate(exchange),
      });
      return authorization(exchange, bearer);
    },
  };
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
