import { describe, expect, it } from 'vitest';
import { COUNTING, NONCE, many, runsWorld as world, type Call } from './testing/runs-world.ts';

describe('W-21 a script that waits for once', () => {
  const WAITING = 'order.push(args.n); return args.waits ? new Promise((go, no) => { ends.push({ go, no }) }) : args.n';
  const PAGE = `${COUNTING}; ends = []`;
  const run = (n: number, ...waiting: number[]): Call => ({ args: { n, waits: waiting.includes(n) } });

  it('keeps nobody waiting: those before it are answered, those behind it run beside it', async () => {
    const { call, realm, programs, waited, next } = world(WAITING, PAGE);
    const calls = many(10, (n) => call(run(n, 6)));
    for (let n = 0; n < 5; n += 1) await next();
    expect(await calls[4]?.outcome).toMatchObject({ text: '4', isQuick: true });
    expect(await calls[5]?.outcome).toMatchObject({ text: '5', isQuick: true });
    expect(waited).toEqual([WAITING]);
    // One program fetches what waits, and another holds the three behind it.
    expect(programs).toHaveLength(2);
    const [fetching, rest] = programs.splice(0);
    const fetched = fetching?.go();
    await rest?.go();
    expect(await calls[9]?.outcome).toMatchObject({ text: '9' });
    realm.look('ends[0].go("late")');
    await fetched;
    expect(await calls[6]?.outcome).toEqual({ kind: 'value', text: '"late"', isQuick: false });
    expect(realm.look('Object.keys(globalThis).filter((name) => name.startsWith("forge-"))')).toHaveLength(0);
    expect(realm.look('order.join()')).toBe('0,1,2,3,4,5,6,7,8,9');
  });

  it('also when it came alone: four of them do not fill the tab', async () => {
    const { call, programs } = world(WAITING, PAGE);
    const calls = many(5, (n) => call(run(n, 0, 1, 2, 3)));
    for (const { go } of programs.splice(0)) await go();
    await new Promise((resolve) => setImmediate(resolve));
    for (const { go } of programs.splice(0)) void go();
    expect(await calls[4]?.outcome).toMatchObject({ text: '4' });
  });

  it('two of them are not mixed up, and an error is told as such', async () => {
    const { call, realm, programs, next } = world(WAITING, PAGE);
    const tab = (tabId: number) => ({ changes: { target: { tabId, frameId: 0, documentId: 'doc' } } });
    const [first, second] = [1, 2].map((tabId) => many(8, (n) => call({ ...run(n, 5), ...tab(tabId) })));
    // Both wait in the page before either is fetched.
    for (let n = 0; n < 10; n += 1) await next();
    realm.look('ends[0].no(new Error("late")); ends[1].go("second")');
    for (const { go } of programs.splice(0).toReversed()) await go();
    expect(await first?.[5]?.outcome).toMatchObject({ kind: 'threw', message: 'late' });
    expect(await second?.[5]?.outcome).toMatchObject({ text: '"second"', isQuick: false });
  });

  it.each([
    ['is not there', (fetching: { fail: (error: Error) => void }) => fetching.fail(new Error('No document with id x'))],
    ['knows nothing of it', (fetching: { answer: (raw: unknown) => void }) => fetching.answer(null)],
    ['says that it still waits', (fetching: { answer: (raw: unknown) => void }) => fetching.answer(`${NONCE}p0`)],
  ])('it is never run again, whatever has become of its page: it %s', async (_, happens) => {
    const { call, realm, programs } = world(WAITING, PAGE);
    const { outcome } = call(run(0, 0));
    await programs.shift()?.go();
    await new Promise((resolve) => setImmediate(resolve));
    const [fetching] = programs.splice(0);
    if (fetching !== undefined) happens(fetching);
    await expect(outcome).rejects.toMatchObject({ code: 'tab_closed' });
    expect(realm.look('order.length')).toBe(1);
    expect(programs).toHaveLength(0);
  });
});

describe('what goes wrong with a program', () => {
  it('concerns the runs in it, and the next ones go on', async () => {
    const { call, programs, next, all } = world('return args.n');
    const calls = many(13, (n) => call({ args: { n } }));
    const outcomes = calls.map(({ outcome }) => outcome.catch((error: unknown) => error));
    for (let n = 0; n < 4; n += 1) await next();
    programs.shift()?.fail(new Error('No document with id doc'));
    await new Promise((resolve) => setImmediate(resolve));
    await all();
    const ends = await Promise.all(outcomes);
    expect(ends.slice(4, 12)).toEqual(many(8, () => expect.objectContaining({ message: 'No document with id doc' })));
    expect(ends[12]).toMatchObject({ text: '12' });
  });

  it.each([
    [
      'a page whose arrays and strings answer what they like',
      'Array.prototype[Symbol.iterator] = null; String.prototype.slice = null',
    ],
    ['a page that has replaced JSON', 'JSON.stringify = () => { throw new Error("mine") }'],
    ['a page that answers with numbers', 'JSON.stringify = () => 7'],
  ])('%s ends every call, and each once', async (_, page) => {
    const { call, all } = world('return [args.n]', page);
    const calls = many(12, (n) => call({ args: { n } }));
    await all();
    for (const { outcome } of calls) expect(await outcome).toHaveProperty('kind');
  });

  it.each(['null', '{ now: () => 1n }', '{ now: Symbol }', '{ now: () => "soon" }'])(
    'a page whose clock is %s answers all the same',
    async (clock) => {
      const { call, all } = world('return [args.n]', `performance = ${clock}`);
      const calls = many(12, (n) => call({ args: { n } }));
      await all();
      for (const [n, { outcome }] of calls.entries()) expect(await outcome).toMatchObject({ text: `[${n}]` });
    },
  );

  it.each(['m', 'm;', 'm0,', 'm99999999,', 'm-1,v1', 'm1,1,1,1,1,1,1,1,1,1,1,', 'm45,p', `m20,${NONCE}p9x`])(
    'an answer such as %j is no answer',
    async (text) => {
      const { call, programs } = world('return 1');
      const calls = many(12, () => call());
      while (programs.length > 0) {
        programs.shift()?.answer(`${NONCE}${text}`);
        await new Promise((resolve) => setImmediate(resolve));
      }
      const outcomes = await Promise.all(calls.map(({ outcome }) => outcome));
      expect(outcomes).toEqual(many(12, () => ({ kind: 'nothing' })));
    },
  );
});
