import { ForgeError } from '../../shared/errors.ts';
import type { Capture, ExpiredMatch } from '../../shared/manifest/schema/session.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';
import type { CookieJar } from './cookie-jar.ts';
import { SENDABLE, valueAt, type ExchangeAnswer } from './exchange-answer.ts';
import type { LoginStep } from './plan.ts';

/** Looks for a pattern of a manifest; answers its first group, or the whole match where it has none. */
export type MatchPattern = (pattern: string, text: string, signal: StopSignal) => Promise<string | null>;

/** A page with a form in it is longer than an answer of an API, and a token stands anywhere. */
const SEARCHED_CHARS = 500_000;
const MAX_CHARS = 8192;
const MAX_REFUSAL_BYTES = 256 * 1024;

interface Answered {
  host: string;
  answer: ExchangeAnswer;
  jar: CookieJar;
  match: MatchPattern;
  signal: StopSignal;
}

/** A failure of a login as the caller of a tool sees it; it never quotes the answer. */
export function loginFailed(
  host: string,
  problem: string,
  options: { hint?: string; cause?: unknown } = {},
): ForgeError {
  return new ForgeError('login_failed', `The login at ${host} failed: ${problem}.`, options);
}

/** Forms answer a login with a redirect, so only what is refused outright or says so itself has failed. */
export function requireLoggedIn({ successMatch }: LoginStep, host: string, answer: ExchangeAnswer): void {
  const { status } = answer;
  if (status === 401 || status === 403) throw loginFailed(host, `it refused the credentials (HTTP ${status})`);
  if (status < 200 || status >= 400) throw loginFailed(host, `it answered HTTP ${status}`);
  if (successMatch === null || isEqual(valueAt(jsonOf(answer.body), successMatch.path), successMatch.equals)) return;
  throw loginFailed(host, `its answer does not say ${String(successMatch.equals)} at "${successMatch.path}"`);
}

/** Every value that a step captures; one that is missing means that the login did not go as the manifest says. */
export async function readCaptures(
  captures: Readonly<Record<string, Capture>>,
  answered: Answered,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const [name, capture] of Object.entries(captures)) {
    const text = await readCapture(capture, answered);
    if (text === null || text === '' || text.length > MAX_CHARS || !SENDABLE.test(text)) {
      const { status } = answered.answer;
      throw loginFailed(answered.host, `the answer (HTTP ${status}) has nothing to capture as "${name}"`, {
        hint: 'Check the credentials in the connector’s settings, then `capture` in its manifest.',
      });
    }
    found.set(name, text);
  }
  return found;
}

async function readCapture(
  { path, header, cookie, regex }: Capture,
  { answer, jar, match, signal }: Answered,
): Promise<string | null> {
  if (path === undefined && header === undefined && cookie === undefined)
    return regex === undefined ? null : match(regex, textOf(answer.body), signal);
  const found = path === undefined ? otherValue(header, cookie, answer, jar) : valueAt(jsonOf(answer.body), path);
  if (typeof found !== 'string' && typeof found !== 'number') return null;
  return regex === undefined ? String(found) : match(regex, String(found).slice(0, MAX_CHARS), signal);
}

function otherValue(
  header: string | undefined,
  cookie: string | undefined,
  { headers }: ExchangeAnswer,
  jar: CookieJar,
): string | null {
  return header === undefined ? jar.value(cookie ?? '') : (headers[header.toLowerCase()] ?? null);
}

/** An answer to a request that was made with a session. */
export interface SessionAnswer extends ExchangeAnswer {
  url: string;
  redirectedTo: string | null;
}

/**
 * What an answer says about the session. `refused`: the service has done nothing. `unsure`: it looks like a login page, and what the
 * request has done before is not known.
 */
export async function sessionState(
  expired: ExpiredMatch | null,
  answer: SessionAnswer,
  match: MatchPattern,
  signal: StopSignal,
): Promise<'live' | 'refused' | 'unsure'> {
  if (answer.status === 401 || answer.status === 403) return 'refused';
  if (expired === null) return 'live';
  const { path, equals, regex, redirect } = expired;
  if (path !== undefined) {
    // An answer that says no more than this is short, and a long one is not read twice.
    const found = answer.body.length > MAX_REFUSAL_BYTES ? undefined : valueAt(jsonOf(answer.body), path);
    const wanted = Array.isArray(equals) ? equals : [equals];
    return wanted.some((one) => one !== undefined && isEqual(found, one)) ? 'refused' : 'live';
  }
  const isLoginPage =
    redirect === undefined
      ? regex !== undefined && (await match(regex, textOf(answer.body), signal)) !== null
      : answer.url.includes(redirect) || answer.redirectedTo?.includes(redirect) === true;
  return isLoginPage ? 'unsure' : 'live';
}

function isEqual(found: unknown, wanted: string | number | boolean): boolean {
  const isScalar = typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean';
  return isScalar && String(found) === String(wanted);
}

function textOf(body: Buffer): string {
  return body.subarray(0, SEARCHED_CHARS).toString('utf8');
}

/** What is no JSON has nothing at any path. */
function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}
