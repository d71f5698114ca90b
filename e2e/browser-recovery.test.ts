import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserProcesses, freeze } from './testing/browser-processes.ts';
import { startBrowserWorld, type BrowserWorld, type ToolAnswer } from './testing/browser-world.ts';
import { startExtensionBrowser } from './testing/extension-browser.ts';

/** How often each thing is lost; FORGE_RECOVERY_ROUNDS=100 takes some minutes. */
const ROUNDS = Number(process.env['FORGE_RECOVERY_ROUNDS'] ?? '5');
const ROUNDS_MS = Math.max(5, ROUNDS) * 30_000;
/** How long the computer sleeps. Both sides give a silent socket up after 20 to 40 s; 45000 shows that too, and takes two minutes more. */
const SLEEP_MS = Number(process.env['FORGE_RECOVERY_SLEEP_MS'] ?? '4000');

const DEMO = `
id: demo
name: Demo
version: "1.0.0"
settings: { base_url: { required: true } }
host_match: "{base_url}/*"
tools:
  ping:
    page: { url: "{base_url}/plain", on_target: /plain }
    script: return document.querySelector('h1').textContent
  count:
    parameters: { ms: { type: number, default: 0 } }
    page: { url: "{base_url}/plain", on_target: /plain }
    script: |
      window.runs = (window.runs ?? 0) + 1;
      await fetch('/mark/count');
      await new Promise((go) => setTimeout(go, args.ms));
      return window.runs;
  hold:
    parameters: { id: { type: string, required: true } }
    page: { url: "{base_url}/plain", on_target: /plain }
    script: |
      await fetch('/mark/' + args.id);
      await new Promise(() => {});
  mark:
    parameters: { id: { type: string, required: true }, ms: { type: number, default: 0 } }
    page: { url: "{base_url}/plain", on_target: /plain }
    timeout_ms: 3000
    script: |
      await fetch('/mark/' + args.id);
      await new Promise((go) => setTimeout(go, args.ms));
      return args.id;
`;

let world: BrowserWorld;

beforeAll(async () => {
  world = await startBrowserWorld();
  await world.install('demo', DEMO);
}, 120_000);

const ends: (() => void)[] = [];
const afterwards = (end: () => void): void => void ends.push(end);

afterAll(async () => {
  await world.close();
  for (const end of ends) end();
});

const result = ({ error, result: value }: ToolAnswer): unknown => error ?? value;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const marks = (id: string): number => world.site.hits.get(`/mark/${id}`) ?? 0;

/** A call of `demo.count` that has begun in its tab. */
async function countUnderWay(ms: number): Promise<{ ended: Promise<ToolAnswer> }> {
  const before = marks('count');
  const ended = world.call('demo.count', { ms });
  await expect.poll(() => marks('count'), { interval: 20 }).toBe(before + 1);
  return { ended };
}

/** Milliseconds since `lostAt` until the next call works; a call in between must end with a code, and soon. */
async function timeToWork(lostAt = performance.now()): Promise<number> {
  const began = performance.now();
  for (;;) {
    const answer = await world.call('demo.ping').catch(() => null);
    if (answer?.ok === true) return performance.now() - lostAt;
    if (answer !== null) expect(['bridge_offline', 'extension_missing']).toContain(answer.error?.code);
    if (performance.now() - began > 30_000) throw new Error('nothing works after thirty seconds');
  }
}

function report(what: string, times: number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  console.log(`${what}: median ${at(0.5)} ms, p95 ${at(0.95)} ms until the next call has its answer`);
}

describe('what is lost comes back by itself', () => {
  it(
    'the worker is killed',
    async () => {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        times.push(await timeToWork(await world.browser.killWorker()));
      }
      report('from the death of a worker', times);
    },
    ROUNDS_MS,
  );

  it(
    'the server is killed in the middle of a call and started again: nothing runs twice',
    async () => {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const id = `round-${round}`;
        const lost = world.call('demo.hold', { id }).catch(() => null);
        await expect.poll(() => marks(id), { interval: 20 }).toBe(1);
        await world.restartForge('SIGKILL');
        times.push(await timeToWork());
        expect(await lost).toBeNull();
      }
      report('from a server that is back after it was killed', times);
      for (let round = 0; round < ROUNDS; round += 1) expect(marks(`round-${round}`)).toBe(1);
    },
    ROUNDS_MS,
  );

  it(
    'the server is stopped and started again',
    async () => {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        await world.restartForge('SIGTERM');
        times.push(await timeToWork());
      }
      report('from a server that is back after it was stopped', times);
    },
    ROUNDS_MS,
  );

  it('a call under way when the worker dies ends with its own code, and has run once', async () => {
    await world.call('demo.ping');
    const before = Number(result(await world.call('demo.count')));
    const { ended } = await countUnderWay(20_000);
    await world.browser.killWorker();
    expect((await ended).error?.code).toBe('bridge_offline');
    expect(result(await world.call('demo.count'))).toBe(before + 2);
  });
});

describe('the computer sleeps', () => {
  const forgePid = (): number => world.forge.child.pid ?? 0;
  const browserPids = (): number[] => browserProcesses(world.browser.profile).map(({ pid }) => pid);

  it.each<[string, () => number[]]>([
    ['the browser alone', browserPids],
    ['the server alone', () => [forgePid()]],
    ['both', () => [...browserPids(), forgePid()]],
  ])('%s: what was under way ends in time and has run once, and the next call works', async (who, pids) => {
    const id = who.replaceAll(' ', '-');
    await timeToWork();
    const call = world.call('demo.mark', { id, ms: 1000 });
    await expect.poll(() => marks(id), { interval: 20 }).toBe(1);
    const wake = freeze(pids());
    try {
      // Nobody waits longer for a browser that does not answer than the tool may take; a server that sleeps cannot answer at all.
      if (who === 'the browser alone') expect((await world.call('demo.mark', { id: 'asleep' })).ok).toBe(false);
      await pause(SLEEP_MS);
    } finally {
      wake();
    }
    const { ok, error } = await call;
    if (!ok) expect(error?.code).toMatch(/^(call_timeout|bridge_offline)$/);
    await timeToWork();
    expect(result(await world.call('demo.mark', { id: `${id}-after` }))).toBe(`${id}-after`);
    expect([marks(id), marks(`${id}-after`)]).toEqual([1, 1]);
    expect(marks('asleep')).toBeLessThanOrEqual(1);
  });
});

describe('the browser goes away', () => {
  const startAgain = async (profile: string): Promise<void> => {
    world.browser = await startExtensionBrowser({ profile });
    await timeToWork();
    const { browsers } = (await (await world.forge.call('GET', '/api/browsers')).json()) as { browsers: unknown[] };
    expect(browsers).toHaveLength(1);
  };

  it('closed: a call says so; the same profile works again without pairing', async () => {
    const { profile } = world.browser;
    afterwards(() => rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
    await world.browser.context.close();
    expect((await world.call('demo.ping')).error?.code).toMatch(/^(bridge_offline|extension_missing)$/);
    await startAgain(profile);
  });

  it('killed in the middle of a call: it ends with its code, has run once, and the same profile works again', async () => {
    const { profile, context } = world.browser;
    const call = world.call('demo.mark', { id: 'killed', ms: 2500 });
    await expect.poll(() => marks('killed'), { interval: 20 }).toBe(1);
    const [browser] = browserProcesses(profile);
    const gone = new Promise((resolve) => context.once('close', resolve));
    process.kill(browser?.pid ?? 0, 'SIGKILL');
    expect((await call).error?.code).toMatch(/^(bridge_offline|call_timeout)$/);
    await gone;
    await startAgain(profile);
    expect(marks('killed')).toBe(1);
  });
});
