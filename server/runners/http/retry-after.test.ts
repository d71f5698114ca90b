import { describe, expect, it } from 'vitest';
import type { HttpRequest } from '../job.ts';
import { parseRetryAfter } from './retry-after.ts';
import { testRunner } from './testing/runner.ts';
import { httpServer } from './testing/servers.ts';

const NOW = Date.UTC(2030, 0, 1);

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['3', 3000],
    [' 120 ', 120_000],
    ['Tue, 01 Jan 2030 00:00:05 GMT', 5000],
    ['Mon, 31 Dec 2029 23:59:59 GMT', 0],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['Someday, maybe', null],
    ['', null],
    ['99999999999', null],
  ])('%j asks for %j ms', (text, expected) => {
    expect(parseRetryAfter(text, NOW)).toBe(expected);
  });
});

interface Busy {
  status?: number;
  retryAfter?: string;
  /** How often it says so before it answers. */
  times?: number;
}

async function busyServer({ status = 429, retryAfter, times = 1 }: Busy) {
  const clock = { now: NOW };
  const waits: number[] = [];
  let requests = 0;
  const server = await httpServer((_request, response) => {
    requests += 1;
    if (requests > times) {
      response.end('answered');
      return;
    }
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    response.writeHead(status).end('busy');
  });
  const runner = testRunner({
    now: () => clock.now,
    sleep: (ms) => {
      waits.push(ms);
      clock.now += ms;
      return Promise.resolve();
    },
  });
  return { server, runner, waits, requests: () => requests };
}

describe('waiting as asked', () => {
  it.each([
    ['GET', 429, '2'],
    ['GET', 503, 'Tue, 01 Jan 2030 00:00:02 GMT'],
    ['HEAD', 429, '2'],
  ])('%s with %i and Retry-After %s waits and tries again', async (method, status, retryAfter) => {
    const { server, runner, waits } = await busyServer({ status, retryAfter });
    expect((await runner.run(server.origin, { method })).status).toBe(200);
    expect(waits).toEqual([2000]);
  });

  it('tries again twice at most', async () => {
    const { server, runner, waits, requests } = await busyServer({ retryAfter: '1', times: 9 });
    expect((await runner.run(server.origin)).status).toBe(429);
    expect([waits, requests()]).toEqual([[1000, 1000], 3]);
  });

  it.each<[string, Partial<HttpRequest>, Busy]>([
    ['a write', { method: 'POST' }, { retryAfter: '1' }],
    ['a PUT', { method: 'PUT' }, { retryAfter: '1' }],
    ['a deletion', { method: 'DELETE' }, { retryAfter: '1' }],
    ['another status', {}, { retryAfter: '1', status: 500 }],
    ['no header', {}, {}],
    ['a header that makes no sense', {}, { retryAfter: 'later' }],
    ['a wait until the deadline', { timeoutMs: 15_000 }, { retryAfter: '15' }],
    ['a wait beyond the deadline', { timeoutMs: 15_000 }, { retryAfter: '3600' }],
  ])('does not wait for %s', async (_title, parts, busy) => {
    const { server, runner, waits, requests } = await busyServer(busy);
    const response = await runner.run(server.origin, parts);
    expect([response.status, response.body.toString()]).toEqual([busy.status ?? 429, 'busy']);
    expect([waits, requests()]).toEqual([[], 1]);
  });

  it('measures the second wait by what is left of the time', async () => {
    const { server, runner, waits } = await busyServer({ retryAfter: '8', times: 9 });
    expect((await runner.run(server.origin, { timeoutMs: 15_000 })).status).toBe(429);
    expect(waits).toEqual([8000]);
  });

  it('can be stopped while it waits, with the real clock', async () => {
    const caller = new AbortController();
    const server = await httpServer((_request, response) => {
      response.writeHead(429, { 'retry-after': '5' }).end();
      response.on('close', () => setImmediate(() => caller.abort()));
    });
    const runner = testRunner();
    expect((await runner.fail(server.origin, {}, caller.signal)).code).toBe('cancelled');
    expect(server.connections()).toBe(1);
  });
});
