import { hash } from 'node:crypto';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { Secret } from '../../shared/secret.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';
import { CookieJar } from './cookie-jar.ts';
import type { ExchangeAnswer } from './exchange-answer.ts';
import { createFlights, type After } from './flights.ts';
import {
  loginFailed,
  readCaptures,
  requireLoggedIn,
  sessionState,
  type MatchPattern,
  type SessionAnswer,
} from './login-answer.ts';
import type { Captured, LoginRequest, LoginStep, SessionPlan, Transport } from './plan.ts';

/** A login as it is used: its cookies, and what it has captured. */
export interface Session {
  readonly jar: CookieJar;
  readonly captured: Captured;
  readonly expiresAt: number;
}

/** Sends a request of a login with the cookies it has so far; it brings its own deadline. */
export type SendLogin = (
  request: LoginRequest & { transport?: Transport; cookies: CookieJar; followRedirects: boolean },
  signal: StopSignal,
) => Promise<ExchangeAnswer>;

interface SessionsDeps {
  send: SendLogin;
  match: MatchPattern;
  now?: () => number;
  after?: After;
}

interface GetOptions {
  signal: StopSignal;
  timeoutMs?: number;
  /** The session that the service no longer takes: it is replaced, unless another call has already done so. */
  force?: Session;
}

export type Sessions = ReturnType<typeof createSessions>;

const MAX_SESSIONS = 200;
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Logs in and keeps the sessions in memory, and nowhere else. However many calls need the same one, one login is made for all of them. */
export function createSessions({ send, match, now = Date.now, after }: SessionsDeps) {
  const flights = createFlights<Session>({ after, max: MAX_SESSIONS });

  const take = async (step: LoginStep, jar: CookieJar, captured: Captured, signal: StopSignal): Promise<Captured> => {
    const request = step.request(captured);
    const { host } = new URL(request.url);
    const { transport } = step;
    // A password must not travel on; where a form's answer leads to is up to the next step.
    const followRedirects = READS.has(request.method);
    let answer: ExchangeAnswer;
    try {
      answer = await send(
        { ...request, cookies: jar, followRedirects, ...(transport === undefined ? {} : { transport }) },
        signal,
      );
    } catch (error) {
      throw sendFailed(host, error);
    }
    requireLoggedIn(step, host, answer);
    const found = await readCaptures(step.capture, { host, answer, jar, match, signal });
    return { ...captured, ...Object.fromEntries([...found].map(([name, text]) => [name, new Secret(text)])) };
  };

  const logIn = async ({ steps, ttlSec }: SessionPlan, signal: StopSignal): Promise<Session> => {
    const jar = new CookieJar(now);
    let captured: Captured = {};
    for (const step of steps) captured = await take(step, jar, captured, signal);
    return { jar, captured, expiresAt: now() + ttlSec * 1000 };
  };

  return {
    /** The session for a request, from memory while it is good. */
    get: (plan: SessionPlan, { signal, timeoutMs, force }: GetOptions): Promise<Session> =>
      flights.get(keyOf(plan), {
        ...{ signal, timeoutMs },
        fetch: (stop) => logIn(plan, stop),
        isGood: (session) => session !== force && session.expiresAt > now(),
        tooLate: () =>
          new ForgeError('upstream_timeout', `The login at ${hostOf(plan)} took longer than the call may.`),
      }),
    /** What an answer to a request with a session says about it. */
    stateOf: ({ expired }: SessionPlan, answer: SessionAnswer, signal: StopSignal) =>
      sessionState(expired, answer, match, signal),
    /** The token for a request that changes something; null when the service has none. */
    csrf: async ({ csrf }: SessionPlan, { jar, captured }: Session, signal: StopSignal): Promise<Secret | null> => {
      if (csrf === null) return null;
      const { source } = csrf;
      if ('captured' in source) return captured[source.captured] ?? null;
      return (await take(source.step, jar, captured, signal))['csrf'] ?? null;
    },
  };
}

/** What must not be seen in what comes back. */
export function secretsOf({ jar, captured }: Session): string[] {
  return [...jar.values(), ...Object.values(captured).map((secret) => secret.reveal())];
}

/** Keeps the code of a failure that is already told apart (unreachable, refused address, timeout) and says where it happened. */
function sendFailed(host: string, error: unknown): ForgeError {
  if (!isForgeError(error)) return loginFailed(host, 'the request could not be sent', { cause: error });
  return new ForgeError(error.code, `The login at ${host} failed: ${error.message}`, {
    hint: error.hint,
    cause: error,
  });
}

function hostOf({ steps: [first] }: SessionPlan): string {
  return first === undefined ? 'the service' : new URL(first.prefix.origin).host;
}

/** Hashed, since the identity holds a password. */
function keyOf({ identity, owner, steps, ttlSec }: SessionPlan): string {
  const ways = steps.map(({ transport, capture, successMatch }) => [transport?.verifyTls, capture, successMatch]);
  return hash('sha256', JSON.stringify([owner, identity, ways, ttlSec]), 'base64');
}
