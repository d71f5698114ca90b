import { ForgeError } from '../../shared/errors.ts';
import { ownValue } from '../../shared/json.ts';
import { readExpiry } from './expiry.ts';
import type { ExchangeRequest } from './plan.ts';
import { parseUrl } from '../../shared/parse-url.ts';

/** What came back from an exchange endpoint; redirects must not have been followed. */
export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A bearer and the moment from which it is no longer good, in milliseconds. */
export interface Bearer {
  readonly text: string;
  readonly expiresAt: number;
}

/** What a header can carry. */
export const SENDABLE = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/;

/** Reads the bearer out of an answer. What it throws names the step and the status, never a part of the answer itself. */
export function readAnswer(exchange: ExchangeRequest, answer: ExchangeAnswer, now: number): Bearer {
  requireSuccess(exchange, answer.status);
  const json = parseJson(exchange, answer);
  const text = valueAt(json, exchange.bearerPath);
  if (typeof text !== 'string' || text === '') {
    const problem =
      text === undefined || text === null || text === '' ? 'has no value' : 'has something other than text';
    throw exchangeFailed(exchange, `the answer (HTTP ${answer.status}) ${problem} at "${exchange.bearerPath}"`, {
      hint: 'Correct bearer_path in the manifest: it is the dotted path to the token in the answer.',
    });
  }
  if (!SENDABLE.test(text)) {
    throw exchangeFailed(exchange, `the token in the answer has characters that a header cannot carry`);
  }
  const expiresAt = readExpiry(valueAt(json, exchange.expiresPath), exchange.expiresPath, now, exchange.expiresUnit);
  return { text, expiresAt: expiresAt ?? now + exchange.ttlSec * 1000 };
}

/** A failure of the exchange as the caller of a tool sees it. */
export function exchangeFailed(
  exchange: ExchangeRequest,
  problem: string,
  options: { hint?: string; cause?: unknown } = {},
): ForgeError {
  return new ForgeError('exchange_failed', `The token exchange with ${hostOf(exchange)} failed: ${problem}.`, options);
}

/** The host alone: the rest of the address may carry a credential. */
export function hostOf(exchange: ExchangeRequest): string {
  return parseUrl(exchange.url)?.host ?? 'the login service';
}

function requireSuccess(exchange: ExchangeRequest, status: number): void {
  if (status >= 200 && status < 300) return;
  if (status >= 300 && status < 400) {
    throw exchangeFailed(exchange, `it answered with a redirect (HTTP ${status}), and credentials are not sent on`, {
      hint: 'Put the final address into the connector’s settings or its exchange_url.',
    });
  }
  if (status === 401 || status === 403) {
    throw exchangeFailed(exchange, `it refused the credentials (HTTP ${status})`);
  }
  throw exchangeFailed(exchange, `it answered HTTP ${status}`);
}

function parseJson(exchange: ExchangeRequest, { status, body }: ExchangeAnswer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    // The parser's own message quotes the text, which may hold the token.
    throw exchangeFailed(exchange, `the answer (HTTP ${status}) is not JSON`, {
      hint: 'Check the address in exchange_url: a login page answers with HTML.',
    });
  }
}

/** Follows a dotted path such as `result.jwt` or `tokens[0].value`, through own properties only (C-71). */
export function valueAt(json: unknown, path: string): unknown {
  let value = json;
  for (const name of path.split(/[.[\]]+/)) {
    if (name !== '') value = ownValue(value, name);
  }
  return value;
}
