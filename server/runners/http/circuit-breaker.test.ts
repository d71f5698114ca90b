import http from 'node:http';
import { describe, expect, it } from 'vitest';
import { CircuitBreaker, type Outcome } from './circuit-breaker.ts';
import { fakeLookup, testRunner } from './testing/runner.ts';
import { closedPort, httpServer, listen, rawServer } from './testing/servers.ts';

const ORIGIN = 'http://api.test';
const HEALTHY: Outcome = { kind: 'healthy' };
const UNKNOWN: Outcome = { kind: 'unknown' };
const FAILING: Outcome = { kind: 'failing', reason: 'api.test refused the connection' };

function breakerAt(clock: { now: number }) {
  const breaker = new CircuitBreaker(() => clock.now);
  const call = (outcome: Outcome) => breaker.leave(ORIGIN, breaker.enter(ORIGIN), outcome);
  const open = () => {
    for (let count = 0; count < 5; count += 1) call(FAILING);
  };
  return { breaker, call, open };
}

describe('the circuit breaker', () => {
  it('opens after five failures in a row and says when it tries again', () => {
    const clock = { now: 0 };
    const { breaker, call } = breakerAt(clock);
    for (let count = 0; count < 4; count += 1) call(FAILING);
    expect(breaker.enter(ORIGIN)).toEqual({ isTrial: false });
    call(FAILING);
    expect(() => breaker.enter(ORIGIN)).toThrow(/Forge tries again in 30 seconds/);
    clock.now = 29_001;
    expect(() => breaker.enter(ORIGIN)).toThrow(/refused the connection\). Forge tries again in 1 second$/);
  });

  it('starts counting anew after an answer', () => {
    const { breaker, call } = breakerAt({ now: 0 });
    for (const outcome of [FAILING, FAILING, FAILING, FAILING, HEALTHY, FAILING, FAILING, FAILING, FAILING])
      call(outcome);
    expect(breaker.enter(ORIGIN)).toEqual({ isTrial: false });
  });

  it('is not moved by calls that say nothing about the service', () => {
    const { breaker, call } = breakerAt({ now: 0 });
    for (let count = 0; count < 20; count += 1) call(UNKNOWN);
    expect(breaker.enter(ORIGIN)).toEqual({ isTrial: false });
  });

  it('lets one trial through after 30 seconds, and closes when it is answered', () => {
    const clock = { now: 0 };
    const { breaker, open } = breakerAt(clock);
    open();
    clock.now = 30_000;
    const trial = breaker.enter(ORIGIN);
    expect(trial).toEqual({ isTrial: true });
    expect(() => breaker.enter(ORIGIN)).toThrow(/trying it with another call right now/);
    breaker.leave(ORIGIN, trial, HEALTHY);
    expect(breaker.enter(ORIGIN)).toEqual({ isTrial: false });
  });

  it('stays open for another 30 seconds when the trial fails', () => {
    const clock = { now: 0 };
    const { breaker, call, open } = breakerAt(clock);
    open();
    clock.now = 30_000;
    call(FAILING);
    expect(() => breaker.enter(ORIGIN)).toThrow(/tries again in 30 seconds/);
    clock.now = 60_000;
    expect(breaker.enter(ORIGIN)).toEqual({ isTrial: true });
  });

  it('gives the trial to the next call when one was stopped before it told anything', () => {
    const clock = { now: 0 };
    const { breaker, call, open } = breakerAt(clock);
    open();
    clock.now = 30_000;
    call(UNKNOWN);
    expect(breaker.enter(ORIGIN)).toEqual({ isTrial: true });
  });

  it('is not prolonged by calls that started before it opened', () => {
    const clock = { now: 0 };
    const { breaker, open } = breakerAt(clock);
    const early = breaker.enter(ORIGIN);
    open();
    clock.now = 20_000;
    breaker.leave(ORIGIN, early, FAILING);
    clock.now = 30_000;
    expect(breaker.enter(ORIGIN)).toEqual({ isTrial: true });
  });

  it('keeps origins apart', () => {
    const { breaker, open } = breakerAt({ now: 0 });
    open();
    expect(breaker.enter('http://other.test')).toEqual({ isTrial: false });
  });

  it('forgets the oldest of a thousand origins in trouble', () => {
    const { breaker, open } = breakerAt({ now: 0 });
    open();
    for (let count = 0; count < 1000; count += 1) {
      const origin = `http://host-${count}.test`;
      breaker.leave(origin, breaker.enter(origin), FAILING);
    }
    expect(breaker.enter(ORIGIN)).toEqual({ isTrial: false });
  });
});

describe('the breaker around real calls', () => {
  it('stops calling a service that is down, and finds it again when it is back', async () => {
    const clock = { now: 1_000_000 };
    const lookup = fakeLookup(['127.0.0.1']);
    const runner = testRunner({ lookup, now: () => clock.now });
    const port = await closedPort();
    const url = `http://api.test:${port}/`;
    for (let count = 0; count < 5; count += 1) expect((await runner.fail(url)).code).toBe('upstream_unreachable');
    const error = await runner.fail(url);
    expect(error.code).toBe('circuit_open');
    expect(error.message).toContain('refused the connection');
    expect(lookup.asked).toHaveLength(5);
    await listen(
      http.createServer((_request, response) => response.end('back')),
      'http',
      port,
    );
    clock.now += 30_000;
    expect((await runner.run(url)).body.toString()).toBe('back');
    expect((await runner.run(url)).body.toString()).toBe('back');
  });

  it('counts answers that never come or break off', async () => {
    const server = await rawServer((socket) => socket.once('data', () => socket.destroy()));
    const runner = testRunner();
    for (let count = 0; count < 5; count += 1) expect((await runner.fail(server.origin)).code).toBe('upstream_closed');
    expect((await runner.fail(server.origin)).code).toBe('circuit_open');
  });

  it('counts timeouts', async () => {
    const server = await httpServer(() => undefined);
    const runner = testRunner();
    for (let count = 0; count < 5; count += 1) {
      expect((await runner.fail(server.origin, { timeoutMs: 5 })).code).toBe('upstream_timeout');
    }
    expect((await runner.fail(server.origin)).code).toBe('circuit_open');
  });

  it('does not count statuses, refusals or calls that were stopped', async () => {
    const server = await httpServer((_request, response) => response.writeHead(500).end());
    const runner = testRunner();
    for (let count = 0; count < 6; count += 1) {
      expect((await runner.run(server.origin)).status).toBe(500);
      expect((await runner.fail(server.origin, { hostFrom: 'manifest' })).code).toBe('address_refused');
      expect((await runner.fail(server.origin, {}, AbortSignal.abort())).code).toBe('cancelled');
    }
    for (let count = 0; count < 6; count += 1) {
      expect((await runner.fail(server.origin, { hostFrom: 'manifest' })).code).toBe('address_refused');
    }
    for (let count = 0; count < 6; count += 1) {
      expect((await runner.fail(server.origin, {}, AbortSignal.abort())).code).toBe('cancelled');
    }
  });
});
