import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowserWorld, type BrowserWorld, type ToolAnswer } from './testing/browser-world.ts';
import { startWire, type Wire } from './testing/cuttable-wire.ts';
import { startExtensionBrowser } from './testing/extension-browser.ts';

/** How often each thing is lost; FORGE_RECOVERY_ROUNDS=100 takes some minutes. */
const ROUNDS = Number(process.env['FORGE_RECOVERY_ROUNDS'] ?? '5');

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
      await new Promise((go) => setTimeout(go, args.ms));
      return window.runs;
`;

let world: BrowserWorld;
let wire: Wire;

beforeAll(async () => {
  world = await startBrowserWorld({
    reach: async (port) => {
      wire = await startWire(port);
      return wire.port;
    },
  });
  await world.install('demo', DEMO);
}, 120_000);

const ends: (() => void)[] = [];
const afterwards = (end: () => void): void => void ends.push(end);

afterAll(async () => {
  await world.close();
  await wire.close();
  for (const end of ends) end();
});

const result = ({ error, result: value }: ToolAnswer): unknown => error ?? value;

/** Milliseconds until the next call works; a call in between must end with a code, and soon. */
async function timeToWork(): Promise<number> {
  const began = performance.now();
  for (;;) {
    const answer = await world.call('demo.ping').catch(() => null);
    if (answer?.ok === true) return performance.now() - began;
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
  it('the worker is killed', async () => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await world.browser.killWorker();
      times.push(await timeToWork());
    }
    report('after a killed worker', times);
  });

  it('the server is killed and started again', async () => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await world.restartForge(round % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
      times.push(await timeToWork());
    }
    report('after a restarted server', times);
  });

  it('a call under way when the worker dies ends with its own code, and has run once', async () => {
    await world.call('demo.ping');
    const before = Number(result(await world.call('demo.count')));
    const call = world.call('demo.count', { ms: 20_000 });
    await expect.poll(() => world.site.hits.get('/plain') ?? 0).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await world.browser.killWorker();
    expect((await call).error?.code).toBe('bridge_offline');
    expect(result(await world.call('demo.count'))).toBe(before + 2);
  });
});

describe('a socket that is cut in the middle', () => {
  it('the call comes back with its result, run once', async () => {
    const before = Number(result(await world.call('demo.count')));
    const call = world.call('demo.count', { ms: 700 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    wire.cut();
    expect(result(await call)).toBe(before + 1);
    expect(result(await world.call('demo.count'))).toBe(before + 2);
  });
});

describe('the browser is closed', () => {
  it('without one a call says so; the same profile works again without pairing', async () => {
    const { profile } = world.browser;
    afterwards(() => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }));
    await world.browser.context.close();
    expect((await world.call('demo.ping')).error?.code).toMatch(/^(bridge_offline|extension_missing)$/);
    world.browser = await startExtensionBrowser({ profile });
    await timeToWork();
    const { browsers } = (await (await world.forge.call('GET', '/api/browsers')).json()) as { browsers: unknown[] };
    expect(browsers).toHaveLength(1);
  });
});
