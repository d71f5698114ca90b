import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ForgeError } from '../../shared/errors.ts';
import type { ExchangeRequest } from './plan.ts';
import { json, loginServer, send } from './testing/login-server.ts';
import { createTokenExchange, type SendExchange } from './token-exchange.ts';

const PASSWORD = 'hunter2-hunter2';
const open = () => new AbortController().signal;

function login(url: string, changes: Partial<ExchangeRequest> = {}): ExchangeRequest {
  const body = JSON.stringify({ username: 'ada', password: PASSWORD });
  return {
    url: `${url}/login`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    identity: body,
    bearerPath: 'bearerToken',
    expiresPath: 'expiresInMilliseconds',
    expiresUnit: null,
    ttlSec: 300,
    format: 'bearer',
    ...changes,
  };
}

function loginAs(url: string, password: string): ExchangeRequest {
  const body = JSON.stringify({ username: 'ada', password });
  return login(url, { body, identity: body });
}

/** A server that hands out jwt-1, jwt-2, … and a clock that the test turns. */
async function world(extra: Record<string, unknown> = { expiresInMilliseconds: 3_600_000 }) {
  let issued = 0;
  const server = await loginServer((_, response) => json(response, 200, { bearerToken: `jwt-${++issued}`, ...extra }));
  const clock = { now: 1_000_000 };
  return { server, clock, tokens: createTokenExchange({ send, now: () => clock.now }) };
}

async function failureOf(promise: Promise<unknown>): Promise<ForgeError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ForgeError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('the cache', () => {
  it('C-76 D-08 pays the exchange once and answers from memory afterwards', async () => {
    const { server, tokens } = await world();
    const first = await tokens.get(login(server.url), { signal: open() });
    const second = await tokens.get(login(server.url), { signal: open() });
    expect(first).toEqual({ header: 'Bearer jwt-1', bearer: 'jwt-1' });
    expect(second).toEqual(first);
    expect(server.requests).toMatchObject([
      { method: 'POST', path: '/login', body: `{"username":"ada","password":"${PASSWORD}"}` },
    ]);
  });

  it('C-63 sends the header of an API token, and C-66 a GET', async () => {
    const { server, tokens } = await world();
    const headers = { authorization: 'token abc', accept: 'application/vnd.x+json' };
    await tokens.get(login(server.url, { method: 'GET', headers, body: null, identity: 'abc' }), { signal: open() });
    expect(server.requests).toMatchObject([{ method: 'GET', headers, body: '' }]);
  });

  it('C-77 makes a new exchange when the password has changed', async () => {
    const { server, tokens } = await world();
    await tokens.get(loginAs(server.url, 'old'), { signal: open() });
    expect((await tokens.get(loginAs(server.url, 'new'), { signal: open() })).bearer).toBe('jwt-2');
    expect((await tokens.get(loginAs(server.url, 'old'), { signal: open() })).bearer).toBe('jwt-1');
  });

  it('C-78 keeps a bearer per host', async () => {
    const [one, other] = [await world(), await world()];
    await one.tokens.get(login(one.server.url), { signal: open() });
    await one.tokens.get(login(other.server.url), { signal: open() });
    await one.tokens.get(login(one.server.url), { signal: open() });
    expect([one.server.requests.length, other.server.requests.length]).toEqual([1, 1]);
  });

  it.each([
    ['another header, such as a tenant', { headers: { 'x-tenant': 'b' } }],
    ['another field of the answer', { bearerPath: 'idToken' }],
  ])('does not share a bearer with an exchange that has %s', async (_, changes) => {
    const { server, tokens } = await world({ idToken: 'id-token' });
    await tokens.get(login(server.url), { signal: open() });
    await tokens.get(login(server.url, changes), { signal: open() });
    expect(server.requests).toHaveLength(2);
  });

  it('C-74 formats a bearer as each auth block asks', async () => {
    const { server, tokens } = await world();
    expect((await tokens.get(login(server.url, { format: 'bare' }), { signal: open() })).header).toBe('jwt-1');
    expect((await tokens.get(login(server.url, { format: 'bearer' }), { signal: open() })).header).toBe('Bearer jwt-1');
  });

  it('forgets the oldest bearer when there are too many', async () => {
    const { server, clock } = await world();
    const tokens = createTokenExchange({ send, now: () => clock.now, maxBearers: 2 });
    for (const password of ['a', 'b', 'c', 'c', 'b']) {
      await tokens.get(loginAs(server.url, password), { signal: open() });
    }
    expect(server.requests).toHaveLength(3);
    await tokens.get(loginAs(server.url, 'a'), { signal: open() });
    expect(server.requests).toHaveLength(4);
  });
});

describe('expiry', () => {
  it.each([
    ['C-72 a number', { expiresInMilliseconds: 600_000 }, {}, 600_000],
    ['C-72 a text', { expiresInMilliseconds: '600000' }, {}, 600_000],
    [
      'C-72 a nested path',
      { result: { life: 600_000 } },
      { expiresPath: 'result.life', expiresUnit: 'ms' as const },
      600_000,
    ],
    ['C-72 a unit that nobody says', { life: 600_000 }, { expiresPath: 'life', ttlSec: 200 }, 200_000],
    ['C-72 seconds', { expires_in: 600 }, { expiresPath: 'expires_in' }, 600_000],
    ['C-72 C-73 none, so the fallback', {}, { ttlSec: 540 }, 540_000],
    ['C-73 nonsense, so the default fallback', { expiresInMilliseconds: 'soon' }, {}, 300_000],
  ])('C-79 %s: refreshes from 60 seconds before', async (_, answer, changes, lifeMs) => {
    const { server, clock, tokens } = await world(answer);
    const start = clock.now;
    const at = async (afterMs: number) => {
      clock.now = start + afterMs;
      return (await tokens.get(login(server.url, changes), { signal: open() })).bearer;
    };
    expect(await at(0)).toBe('jwt-1');
    expect(await at(lifeMs - 60_001)).toBe('jwt-1');
    expect(await at(lifeMs - 60_000)).toBe('jwt-2');
    expect(await at(lifeMs - 59_999)).toBe('jwt-2');
  });
});

describe('many at once', () => {
  it('D-08 makes one exchange for 1,000 calls that find the bearer expired', async () => {
    const { server, clock, tokens } = await world();
    await tokens.get(login(server.url), { signal: open() });
    clock.now += 3_600_000;
    const calls = Array.from({ length: 1000 }, () => tokens.get(login(server.url), { signal: open() }));
    const bearers = new Set((await Promise.all(calls)).map(({ bearer }) => bearer));
    expect([...bearers]).toEqual(['jwt-2']);
    expect(server.requests).toHaveLength(2);
  });

  it('makes one attempt with a wrong password, and 1,000 calls get the same clean error', async () => {
    const server = await loginServer((_, response) => json(response, 401, { error: `bad password ${PASSWORD}` }));
    const tokens = createTokenExchange({ send });
    const calls = Array.from({ length: 1000 }, () => failureOf(tokens.get(login(server.url), { signal: open() })));
    const failures = await Promise.all(calls);
    expect(server.requests).toHaveLength(1);
    for (const failure of failures) expect(failure.code).toBe('exchange_failed');
    const { host } = new URL(server.url);
    expect(new Set(failures.map(({ message }) => message))).toEqual(
      new Set([`The token exchange with ${host} failed: it refused the credentials (HTTP 401).`]),
    );
  });

  it('does not remember a failure', async () => {
    let isUp = false;
    const server = await loginServer((_, response) => json(response, isUp ? 200 : 503, { bearerToken: 'jwt' }));
    const tokens = createTokenExchange({ send });
    await expect(tokens.get(login(server.url), { signal: open() })).rejects.toMatchObject({ code: 'exchange_failed' });
    isUp = true;
    expect((await tokens.get(login(server.url), { signal: open() })).bearer).toBe('jwt');
  });
});

describe('after a 401', () => {
  it('replaces a refused bearer once, however many calls were refused', async () => {
    const { server, tokens } = await world();
    const { bearer } = await tokens.get(login(server.url), { signal: open() });
    const calls = Array.from({ length: 50 }, () => tokens.get(login(server.url), { signal: open(), force: bearer }));
    expect(new Set((await Promise.all(calls)).map((answer) => answer.bearer))).toEqual(new Set(['jwt-2']));
    const late = await tokens.get(login(server.url), { signal: open(), force: bearer });
    expect(late.bearer).toBe('jwt-2');
    expect(server.requests).toHaveLength(2);
  });

  it('does not hand out a refused bearer when the replacement fails', async () => {
    let status = 200;
    const server = await loginServer((_, response) => json(response, status, { bearerToken: 'jwt' }));
    const tokens = createTokenExchange({ send });
    await tokens.get(login(server.url), { signal: open() });
    status = 500;
    await failureOf(tokens.get(login(server.url), { signal: open(), force: 'jwt' }));
    await failureOf(tokens.get(login(server.url), { signal: open() }));
    expect(server.requests).toHaveLength(3);
  });
});

describe('leaving early', () => {
  async function held() {
    const held: ServerResponse[] = [];
    let closed: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const server = await loginServer((_, response) => {
      held.push(response);
      response.on('close', () => !response.writableEnded && closed());
    });
    const answer = (n: number) => json(held[n]!, 200, { bearerToken: `jwt-${n}` });
    return { server, tokens: createTokenExchange({ send }), answer, gone };
  }

  it('lets one caller go at once while the others get their bearer', async () => {
    const { server, tokens, answer } = await held();
    const leaver = new AbortController();
    const left = tokens.get(login(server.url), { signal: leaver.signal });
    const stayed = tokens.get(login(server.url), { signal: open() });
    await server.arrival(1);
    const reason = new ForgeError('cancelled', 'the caller stopped it');
    leaver.abort(reason);
    expect(await failureOf(left)).toBe(reason);
    answer(0);
    expect((await stayed).bearer).toBe('jwt-0');
    expect(server.requests).toHaveLength(1);
  });

  it('ends the exchange when the last caller has gone, and the next caller starts afresh', async () => {
    const { server, tokens, answer, gone } = await held();
    const leavers = [new AbortController(), new AbortController()];
    const left = leavers.map(({ signal }) => tokens.get(login(server.url), { signal }));
    const settled = Promise.allSettled(left);
    await server.arrival(1);
    for (const leaver of leavers) leaver.abort(new ForgeError('cancelled', 'gone'));
    const next = tokens.get(login(server.url), { signal: open() });
    await gone;
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await server.arrival(2);
    answer(1);
    expect((await next).bearer).toBe('jwt-1');
    expect((await tokens.get(login(server.url), { signal: open() })).bearer).toBe('jwt-1');
  });

  it('takes nothing from an exchange that everybody has left, even if it ends well', async () => {
    const answers: ((bearerToken: string) => void)[] = [];
    const deaf: SendExchange = () =>
      new Promise((resolve) => {
        answers.push((bearerToken) =>
          resolve({ status: 200, headers: {}, body: Buffer.from(JSON.stringify({ bearerToken })) }),
        );
      });
    const tokens = createTokenExchange({ send: deaf });
    const leaver = new AbortController();
    const left = tokens.get(login('https://x.example'), { signal: leaver.signal });
    leaver.abort();
    await expect(left).rejects.toThrow();
    const second = tokens.get(login('https://x.example'), { signal: open() });
    answers[0]!('left behind');
    await new Promise((resolve) => setImmediate(resolve));
    const third = tokens.get(login('https://x.example'), { signal: open() });
    answers[1]!('wanted');
    expect([(await second).bearer, (await third).bearer]).toEqual(['wanted', 'wanted']);
    expect(answers).toHaveLength(2);
  });

  it('does not start for a caller that has already gone', async () => {
    const { server, tokens } = await world();
    await expect(tokens.get(login(server.url), { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(server.requests).toHaveLength(0);
  });
});

describe('an answer that is no use', () => {
  const SECRET_PART = 'leaked-token';
  const answers: [string, (response: ServerResponse) => void, string][] = [
    [
      'C-71 no bearer',
      (r) => json(r, 200, { other: SECRET_PART }),
      'the answer (HTTP 200) has no value at "bearerToken"',
    ],
    ['C-71 an empty bearer', (r) => json(r, 200, { bearerToken: '' }), 'has no value at "bearerToken"'],
    [
      'C-71 a bearer that is an object',
      (r) => json(r, 200, { bearerToken: { a: SECRET_PART } }),
      'something other than text',
    ],
    ['C-71 a bearer that is a number', (r) => json(r, 200, { bearerToken: 5 }), 'something other than text'],
    ['a bearer with a line break', (r) => json(r, 200, { bearerToken: `${SECRET_PART}\r\nX: 1` }), 'cannot carry'],
    ['HTML', (r) => r.end(`<html>${SECRET_PART}</html>`), 'the answer (HTTP 200) is not JSON'],
    ['nothing', (r) => r.writeHead(204).end(), 'the answer (HTTP 204) is not JSON'],
    ['JSON null', (r) => r.end('null'), 'has no value'],
    ['403', (r) => json(r, 403, { e: SECRET_PART }), 'it refused the credentials (HTTP 403)'],
    ['404', (r) => json(r, 404, { e: SECRET_PART }), 'it answered HTTP 404'],
    ['500', (r) => r.writeHead(500).end(SECRET_PART), 'it answered HTTP 500'],
    ['a redirect', (r) => r.writeHead(302, { location: 'https://evil.example/' }).end(), 'a redirect (HTTP 302)'],
  ];

  it.each(answers)('%s', async (_, answer, problem) => {
    const server = await loginServer((_request, response) => answer(response));
    const failure = await failureOf(createTokenExchange({ send }).get(login(server.url), { signal: open() }));
    expect(failure.code).toBe('exchange_failed');
    expect(failure.message).toContain('The token exchange with 127.0.0.1');
    expect(failure.message).toContain(problem);
    expect(JSON.stringify([failure.message, failure.hint, failure.details, String(failure.cause)])).not.toMatch(
      new RegExp(`${SECRET_PART}|${PASSWORD}`),
    );
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['__proto__.x', { a: 1 }],
    ['constructor.name', { a: 1 }],
    ['list.length', { list: ['a'] }],
  ])('C-71 reads own properties only: %s', async (bearerPath, answer) => {
    const server = await loginServer((_, response) => json(response, 200, answer));
    const failure = await failureOf(
      createTokenExchange({ send }).get(login(server.url, { bearerPath }), { signal: open() }),
    );
    expect(failure.code).toBe('exchange_failed');
  });

  it.each([
    ['result.jwt', { result: { jwt: 'nested' } }],
    ['tokens[1].value', { tokens: [{ value: 'first' }, { value: 'nested' }] }],
    ['tokens.1.value', { tokens: [{ value: 'first' }, { value: 'nested' }] }],
  ])('C-64 C-71 follows %s', async (bearerPath, answer) => {
    const server = await loginServer((_, response) => json(response, 200, answer));
    const tokens = createTokenExchange({ send });
    expect((await tokens.get(login(server.url, { bearerPath }), { signal: open() })).bearer).toBe('nested');
  });
});

describe('a request that cannot be sent', () => {
  it('keeps the code and the hint of the failure and says in which step it happened', async () => {
    const cause = new ForgeError('upstream_timeout', 'no answer within 15 s', { hint: 'Wait.' });
    const failing: SendExchange = () => Promise.reject(cause);
    const failure = await failureOf(
      createTokenExchange({ send: failing }).get(login('https://x.example'), { signal: open() }),
    );
    expect(failure).toMatchObject({ code: 'upstream_timeout', hint: 'Wait.', cause });
    expect(failure.message).toBe('The token exchange with x.example failed: no answer within 15 s');
  });

  it('is a failed exchange when nothing more precise is known', async () => {
    const failing: SendExchange = () => Promise.reject(new TypeError('odd'));
    const failure = await failureOf(
      createTokenExchange({ send: failing }).get(login('https://x.example'), { signal: open() }),
    );
    expect(failure).toMatchObject({ code: 'exchange_failed', cause: { message: 'odd' } });
  });
});
