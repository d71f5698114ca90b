import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ScriptJob } from './run-together.ts';
import { COUNTING, many, runsWorld as world } from './testing/runs-world.ts';

describe('W-21 scripts that wait for nothing', () => {
  it('the first few go at once, those that queue up behind them go together, and each gets its own answer', async () => {
    const { call, programs, next, all } = world('order.push(args.n); return [args.n, order.length]', COUNTING);
    const calls = many(20, (n) => call({ args: { n } }));
    expect(programs).toHaveLength(4);
    await next();
    // Eight go together when one of the first four is back, and the other eight when those are.
    expect(programs).toHaveLength(4);
    expect(await all()).toBe(5);
    for (const [n, { outcome }] of calls.entries())
      expect(await outcome).toEqual({ kind: 'value', text: `[${n},${n + 1}]`, isQuick: true });
  });

  it('one that throws, one that is no JSON and one that is too large fail alone', async () => {
    const script =
      'if (args.n === 3) null.x; if (args.n === 4) return () => 1; if (args.n === 5) return "x".repeat(200); return args.n';
    const { call, all } = world(script);
    const calls = many(8, (n) => call({ args: { n }, changes: { maxResultBytes: 100 } }));
    await all();
    expect(await Promise.all(calls.map(({ outcome }) => outcome))).toMatchObject([
      { text: '0' },
      { text: '1' },
      { text: '2' },
      { kind: 'threw', name: 'TypeError', line: 1 },
      { kind: 'not_json', reason: 'it is a function' },
      { kind: 'too_large', characters: 202 },
      { text: '6' },
      { text: '7' },
    ]);
  });

  it('arguments and settings are each run’s own', async () => {
    const { call, all } = world('const was = [args.a, settings.s]; args.a = settings.s = "spoilt"; return was');
    const calls = many(6, () => call({ args: { a: 1 }, changes: { settings: '{"s":2}' } }));
    await all();
    for (const { outcome } of calls) expect(await outcome).toMatchObject({ text: '[1,2]' });
  });

  it.each<[string, Partial<ScriptJob>]>([
    ['frame', { target: { tabId: 1, frameId: 3, documentId: 'doc' } }],
    ['document', { target: { tabId: 1, frameId: 0, documentId: 'next' } }],
    ['world', { world: 'isolated' }],
    ['connector', { connector: 'other' }],
    ['script', { script: 'return 2' }],
    ['setting', { settings: '{"s":2}' }],
    ['login page', { loginSelector: '#login' }],
    ['limit', { maxResultBytes: 7 }],
  ])('never together with runs for another %s', async (_, changes) => {
    const { call, all } = world('return 1');
    const calls = many(8, (n) => call(n === 6 ? { changes } : {}));
    // Four by themselves, then two together, then it, then the last.
    expect(await all()).toBe(7);
    await Promise.all(calls.map(({ outcome }) => outcome));
  });

  it('tabs do not wait for each other', async () => {
    const { call, programs, all } = world('return 1');
    const target = { tabId: 2, frameId: 0, documentId: 'doc' };
    const calls = many(12, (n) => call(n % 2 === 1 ? { changes: { target } } : {}));
    expect(programs).toHaveLength(8);
    await all();
    await Promise.all(calls.map(({ outcome }) => outcome));
  });

  it('a run that must be alone does not wait for them, and they not for it', async () => {
    const { call, programs, all } = world('return 1');
    const calls = [...many(6, () => call()), call({ isAlone: true }), call({ isAlone: true })];
    expect(programs).toHaveLength(6);
    await all();
    await Promise.all(calls.map(({ outcome }) => outcome));
  });

  it('a call that is given up while it waits never runs', async () => {
    const { call, realm, all } = world('return ++count', COUNTING);
    const calls = many(8, () => call());
    calls[5]?.stop();
    expect(calls.map(({ stages }) => stages.at(-1))).toEqual([
      ...many(4, () => 'running'),
      ...many(4, () => 'waiting'),
    ]);
    await all();
    expect(realm.look('count')).toBe(7);
    expect(calls[5]?.stages.at(-1)).toBe('waiting');
    expect(await calls[7]?.outcome).toMatchObject({ text: '7' });
  });

  it('when all are stopped at once, none of those that wait runs', async () => {
    const { call, realm, all } = world('return ++count', COUNTING);
    const calls = many(20, () => call());
    for (const { stop } of calls) stop();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await all()).toBe(4);
    expect(realm.look('count')).toBe(4);
  });

  it('nothing listens any more to a call that has ended', async () => {
    const { call, all } = world('return 1');
    const calls = many(10, () => call());
    await all();
    expect(calls.map(({ signal }) => getEventListeners(signal, 'abort'))).toEqual(many(10, () => []));
  });

  it('a run sees what the one before it has put off for a moment', async () => {
    const { call, all } = world('Promise.resolve().then(() => count++); return count', COUNTING);
    const calls = many(12, () => call());
    await all();
    expect(await Promise.all(calls.map(({ outcome }) => outcome))).toMatchObject(
      many(12, (n) => ({ text: String(n) })),
    );
  });

  it('large arguments go with few others', async () => {
    const { call, all } = world('return args.text.length');
    const calls = many(10, () => call({ args: { text: 'x'.repeat(100_000) } }));
    // Four by themselves, and then two at a time.
    expect(await all()).toBe(7);
    for (const { outcome } of calls) expect(await outcome).toMatchObject({ text: '100000' });
    const huge = many(6, () => call({ args: { text: 'x'.repeat(300_000) } }));
    expect(await all()).toBe(6);
    for (const { outcome } of huge) expect(await outcome).toMatchObject({ text: '300000' });
  });

  it('a login page is found by each of them', async () => {
    const { call, all } = world('return ++count', COUNTING);
    const calls = many(8, () => call({ changes: { loginSelector: '#in' } }));
    await all();
    for (const { outcome } of calls) expect(await outcome).toEqual({ kind: 'login' });
  });
});

const SLOW = 'time += args.ms ?? 5; order.push(args.n); return args.n';
const SLOW_PAGE = `${COUNTING}; time = 0; performance = { now: () => time }`;

describe('W-21 a program that has been at it for long, or has much to hand over', () => {
  it('leaves the rest to the next', async () => {
    const slow = world('count++; time += 5; return 1', SLOW_PAGE);
    const large = world('count++; return "x".repeat(700_000)', COUNTING);
    for (const { call, realm, next, all } of [slow, large]) {
      const calls = many(12, () => call());
      for (let n = 0; n < 5; n += 1) await next();
      expect(realm.look('count')).toBe(6);
      await all();
      expect(realm.look('count')).toBe(12);
      expect(calls[11]?.stages).toEqual(many(8, (n) => (n % 2 === 0 ? 'waiting' : 'running')));
      for (const { outcome } of calls) expect(await outcome).toMatchObject({ kind: 'value' });
    }
  });

  it('and nobody overtakes the rest, whichever script it is', async () => {
    const { call, realm, programs, next, all } = world(SLOW, SLOW_PAGE);
    many(4, (n) => call({ args: { n } }));
    call({ args: { n: 4, ms: 20 } });
    call({ args: { n: 5, ms: 20 } });
    call({ args: { n: 6 }, changes: { script: `${SLOW} + 1` } });
    // Two of the first are back before the two behind them, which are cut short, come home.
    const [first, second, third] = programs.splice(0, 3);
    for (const { go } of [first, second, third].filter((one) => one !== undefined)) {
      await go();
      await next();
    }
    call({ args: { n: 7 } });
    await all();
    expect(realm.look('order.join()')).toBe('0,3,1,4,2,5,6,7');
  });

  it('one that is given up meanwhile costs the others nothing, and is told so where it has not begun', async () => {
    const { call, realm, next, all } = world(SLOW, SLOW_PAGE);
    const calls = many(12, (n) => call({ args: { n, ms: 10 } }));
    await next();
    calls[4]?.stop();
    calls[8]?.stop();
    await new Promise((resolve) => setImmediate(resolve));
    const later = call({ args: { n: 12 } });
    await all();
    await expect(calls[8]?.outcome).rejects.toMatchObject({ code: 'cancelled' });
    expect(await calls[11]?.outcome).toMatchObject({ text: '11' });
    expect(await later.outcome).toMatchObject({ text: '12' });
    expect(realm.look('order.join()')).toBe('0,1,2,3,4,5,6,7,9,10,11,12');
  });

  it('if all are given up, those behind go on, and what comes back late counts once', async () => {
    const { call, realm, programs, next, all } = world(SLOW, SLOW_PAGE);
    const calls = many(14, (n) => call({ args: { n, ms: 10 } }));
    await next();
    await next();
    await next();
    await next();
    const [hanging] = programs.splice(0);
    for (const { stop } of calls.slice(4, 12)) stop();
    await new Promise((resolve) => setImmediate(resolve));
    expect(programs).toHaveLength(1);
    await hanging?.go();
    await all();
    expect(await calls[13]?.outcome).toMatchObject({ text: '13' });
    await expect(calls[5]?.outcome).rejects.toMatchObject({ code: 'cancelled' });
    const more = many(8, (n) => call({ args: { n: 20 + n } }));
    expect(programs).toHaveLength(4);
    await all();
    expect(await more[7]?.outcome).toMatchObject({ text: '27' });
    expect(realm.look('order.join()')).toBe('0,1,2,3,4,12,13,20,21,22,23,24,25,26,27');
  });

  it('what comes back after it was given up makes no room for others', async () => {
    const { call, programs, next } = world(SLOW, SLOW_PAGE);
    const calls = many(28, (n) => call({ args: { n } }));
    for (let n = 0; n < 4; n += 1) await next();
    const [hanging] = programs.splice(0);
    for (const { stop } of calls.slice(4, 12)) stop();
    await new Promise((resolve) => setImmediate(resolve));
    expect(programs).toHaveLength(1);
    await hanging?.go();
    await new Promise((resolve) => setImmediate(resolve));
    expect(programs).toHaveLength(1);
  });
});
