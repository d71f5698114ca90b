import { expect, it } from 'vitest';
import type { ExchangeRequest } from './plan.ts';
import { createTokenExchange } from './token-exchange.ts';

const PLAN: ExchangeRequest = {
  ...{ url: 'http://x.test/login', method: 'POST', headers: {}, body: null, identity: 'a' },
  ...{ bearerPath: 'bearerToken', expiresPath: 'e', expiresUnit: null, ttlSec: 300, format: 'bearer' },
};

/** An exchange that is answered when the test says so, and timers that it turns. */
function world() {
  const timers = new Map<() => void, number>();
  let answer: () => void = () => undefined;
  let isAborted = false;
  const tokens = createTokenExchange({
    send: (_request, signal) =>
      new Promise((resolve, reject) => {
        answer = () => resolve({ status: 200, headers: {}, body: Buffer.from('{"bearerToken":"jwt"}') });
        signal.addEventListener('abort', () => {
          isAborted = true;
          reject(new Error('nobody waits'));
        });
      }),
    after: (ms, run) => {
      timers.set(run, ms);
      return () => void timers.delete(run);
    },
  });
  const get = (timeoutMs: number) => tokens.get(PLAN, { signal: new AbortController().signal, timeoutMs });
  const expire = (ms: number) => {
    for (const [run, at] of [...timers]) if (at === ms) run();
  };
  return { get, expire, timers, answer: () => answer(), isAborted: () => isAborted };
}

it('K-06 a caller whose time is up leaves a shared exchange, and the others get its bearer', async () => {
  const { get, expire, timers, answer, isAborted } = world();
  const [short, long] = [get(100), get(5000)];
  expire(100);
  await expect(short).rejects.toMatchObject({ code: 'upstream_timeout' });
  expect(isAborted()).toBe(false);
  answer();
  expect((await long).bearer).toBe('jwt');
  expect(timers.size).toBe(0);
});

it('K-06 an exchange ends when the last one who waits for it has no time left', async () => {
  const { get, expire, timers, isAborted } = world();
  const both = [get(100), get(100)];
  expire(100);
  for (const waiting of both) await expect(waiting).rejects.toMatchObject({ code: 'upstream_timeout' });
  expect([isAborted(), timers.size]).toEqual([true, 0]);
});
