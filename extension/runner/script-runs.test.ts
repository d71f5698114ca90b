import { describe, expect, it } from 'vitest';
import { ForgeError } from '../../shared/errors.ts';
import { createScriptRuns, type ScriptJob } from './script-runs.ts';
import { createPageRealm } from './testing/page-realm.ts';

const NONCE = '0123456789abcdef';

interface Call {
  args?: unknown;
  changes?: Partial<ScriptJob>;
  isAlone?: boolean;
}

/** A page that runs one program after the other, each when it is told to. */
function world(script: string, page = '') {
  const realm = createPageRealm(NONCE, page);
  const programs: { code: string; go: () => Promise<void>; fail: (error: Error) => void }[] = [];
  const run = createScriptRuns({
    nonce: NONCE,
    execute: (_, code) =>
      new Promise((resolve, reject) => {
        const go = async (): Promise<void> => resolve(await realm.execute(code));
        programs.push({ code, go, fail: reject });
      }),
  });
  /** The next program runs to its end. */
  const next = async (): Promise<void> => {
    await programs.shift()?.go();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    realm,
    programs,
    call: ({ args = {}, changes = {}, isAlone = false }: Call = {}) => {
      const stopping = new AbortController();
      const stages: string[] = [];
      const outcome = run({
        target: { tabId: 1, frameId: 0, documentId: 'doc' },
        url: 'https://a.example/x',
        connector: 'demo',
        world: 'main',
        script,
        args: JSON.stringify(args),
        settings: '{}',
        maxResultBytes: 4 * 1024 * 1024,
        loginSelector: null,
        turn: isAlone ? null : { signal: stopping.signal, onStage: (stage) => stages.push(stage) },
        ...changes,
      });
      return { outcome, stages, stop: () => stopping.abort(new ForgeError('cancelled', 'Stopped.')) };
    },
    next,
    /** One after the other until there is none; how many that were. */
    all: async (): Promise<number> => {
      let count = 0;
      for (; programs.length > 0; count += 1) await next();
      return count;
    },
  };
}

const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const COUNTING = 'count = 0; order = []';

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
    const { call, programs, next, all } = world('return 1');
    const calls = many(8, (n) => call(n === 6 ? { changes } : {}));
    await next();
    // The two before it, and then it has to wait: another three are at the page and these two.
    expect(programs).toHaveLength(4);
    await all();
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

  it('a program that has been at it for long, or has much to hand over, leaves the rest to the next', async () => {
    const slow = world('time += 5; return ++count', `${COUNTING}; time = 0; performance = { now: () => time }`);
    const large = world('count++; return "x".repeat(700_000)', COUNTING);
    for (const { call, realm, next, all } of [slow, large]) {
      const calls = many(12, () => call());
      for (let n = 0; n < 5; n += 1) await next();
      expect(realm.look('count')).toBe(6);
      await all();
      expect(realm.look('count')).toBe(12);
      expect(calls[11]?.stages).toEqual([
        'waiting',
        'running',
        'waiting',
        'running',
        'waiting',
        'running',
        'waiting',
        'running',
      ]);
      for (const { outcome } of calls) expect(await outcome).toMatchObject({ kind: 'value' });
    }
  });
});

describe('W-21 a script that waits for once', () => {
  const WAITING = 'return args.n === 6 || args.n === 17 ? new Promise((go, no) => { ends.push({ go, no }) }) : args.n';

  it('keeps nobody waiting: those before it are answered, those behind it run beside it', async () => {
    const { call, realm, programs, next } = world(WAITING, 'ends = []');
    const calls = many(10, (n) => call({ args: { n } }));
    for (let n = 0; n < 5; n += 1) await next();
    expect(await calls[4]?.outcome).toMatchObject({ text: '4', isQuick: true });
    expect(await calls[5]?.outcome).toMatchObject({ text: '5', isQuick: true });
    // One program fetches what waits, and each of the three behind it has one of its own.
    expect(programs).toHaveLength(4);
    const [fetching, ...rest] = programs.splice(0);
    const fetched = fetching?.go();
    await Promise.all(rest.map(({ go }) => go()));
    expect(await calls[9]?.outcome).toMatchObject({ text: '9' });
    realm.look('ends[0].go("late")');
    await fetched;
    expect(await calls[6]?.outcome).toEqual({ kind: 'value', text: '"late"', isQuick: false });
    expect(realm.look('Object.keys(globalThis).filter((name) => name.startsWith("forge-"))')).toHaveLength(0);
  });

  it('two of them are not mixed up, and an error is told as such', async () => {
    const { call, realm, programs, next } = world(WAITING, 'ends = []');
    const tab = (tabId: number) => ({ changes: { target: { tabId, frameId: 0, documentId: null } } });
    const [first, second] = [6, 17].map((odd, tabId) =>
      many(8, (n) => call({ args: { n: n === 5 ? odd : 100 + n }, ...tab(tabId) })),
    );
    // Both wait in the page before either is fetched.
    for (let n = 0; n < 10; n += 1) await next();
    realm.look('ends[0].no(new Error("late")); ends[1].go("second")');
    for (const { go } of programs.splice(0).toReversed()) await go();
    expect(await first?.[5]?.outcome).toMatchObject({ kind: 'threw', message: 'late' });
    expect(await second?.[5]?.outcome).toMatchObject({ text: '"second"', isQuick: false });
  });

  it('and never ends: once it is given up, those behind it go on', async () => {
    const { call, programs, next } = world('return args.n < 4 ? new Promise(() => {}) : args.n');
    const calls = many(6, (n) => call({ args: { n } }));
    for (const { go } of programs.splice(0)) void go();
    await next();
    expect(programs).toHaveLength(0);
    calls[0]?.stop();
    await next();
    expect(await calls[5]?.outcome).toMatchObject({ text: '5' });
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
    ['a page without a clock', 'performance = null'],
    ['a page that has replaced JSON', 'JSON.stringify = () => { throw new Error("mine") }'],
    ['a page that answers with numbers', 'JSON.stringify = () => 7'],
  ])('%s ends every call, and each once', async (_, page) => {
    const { call, all } = world('return [args.n]', page);
    const calls = many(12, (n) => call({ args: { n } }));
    await all();
    for (const { outcome } of calls) expect(await outcome).toHaveProperty('kind');
  });

  it.each([
    'm',
    'm;',
    'm0,',
    'm99999999,',
    'm-1,v1',
    'm1,1,1,1,1,1,1,1,1,1,1,',
    'm45,p',
    `m20,${NONCE}p9x`,
    `m18,${NONCE}p1`,
  ])('an answer such as %j is no answer', async (text) => {
    const run = createScriptRuns({ nonce: NONCE, execute: () => Promise.resolve(`${NONCE}${text}`) });
    const job = {
      target: { tabId: 1, frameId: 0, documentId: 'doc' },
      url: '',
      connector: 'demo',
      world: 'main',
      script: 'return 1',
      args: '{}',
      settings: '{}',
      maxResultBytes: 100,
      loginSelector: null,
      turn: { signal: new AbortController().signal, onStage: () => undefined },
    } as const;
    const outcomes = await Promise.all(many(12, () => run(job)));
    expect(outcomes).toEqual(many(12, () => ({ kind: 'nothing' })));
  });
});
