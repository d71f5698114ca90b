import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import WebSocket from 'ws';
import { buildExtension } from '../../server/launch/build-extension.mjs';
import { chromiumArgs, findChromium, seedProfile } from '../../server/launch/chromium.mjs';
import { EXTENSION_ID } from '../../shared/extension-id.ts';
import { fire } from './load.ts';
import type { Forge } from './processes.ts';
import { ms, seriesOf, shuffled, times } from './stats.ts';
import { calling } from './world.ts';

const CALLS = Number(process.env['BENCH_BROWSER_CALLS'] ?? '500');
const ROUND = 50;
/** Until then V8 is still compiling what runs often: in Forge, in the extension and in the page. */
const WARM_UP = 1000;

const SCRIPT = `return Array.from(document.querySelectorAll('tr')).map((row) => ({
  key: row.dataset.key, title: row.children[0].textContent, owner: row.children[1].textContent, link: row.querySelector('a').href }));`;

const MANIFEST = `id: bench-browser
name: Bench browser
version: "1.0.0"
settings: { base_url: { required: true } }
host_match: "{base_url}/*"
tools:
  rows:
    page: { url: "{base_url}/table", on_target: /table }
    script: |
${SCRIPT.split('\n')
  .map((line) => `      ${line}`)
  .join('\n')}
`;

/** A table whose hundred rows come to about 20 kB of JSON. */
async function startSite(): Promise<{ origin: string; close: () => void }> {
  const words = 'a title with as many words as they have in real projects, and then some more of them for good measure';
  const rows = Array.from(
    { length: 100 },
    (_, n) =>
      `<tr data-key="K-${n}"><td>Summary ${n}: ${words}</td><td>Somebody Number ${n}</td><td><a href="/browse/K-${n}">open</a></td></tr>`,
  );
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<!doctype html><title>Table</title><table>${rows.join('')}</table>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** A Chromium that nothing drives but the extension in it; its debugging port is for the floor alone. */
async function startChromium(profile: string): Promise<{ child: ChildProcess; debugging: string }> {
  const folder = buildExtension({ anyPort: true });
  const executable = await findChromium();
  if (executable === null) throw new Error('there is no Chromium');
  const hosts = ['http://127.0.0.1/*'];
  seedProfile(profile, EXTENSION_ID, { userScripts: true, hosts, grantable: hosts });
  const child = spawn(
    executable,
    [
      ...chromiumArgs(),
      '--headless=new',
      `--user-data-dir=${profile}`,
      '--remote-debugging-port=0',
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
      'about:blank',
    ],
    { stdio: 'ignore' },
  );
  const file = path.join(profile, 'DevToolsActivePort');
  while (!existsSync(file)) await pause(50);
  await pause(500);
  return { child, debugging: `http://127.0.0.1:${readFileSync(file, 'utf8').split('\n')[0] ?? ''}` };
}

async function openTab(debugging: string, url: string): Promise<string> {
  const response = await fetch(`${debugging}/json/new?${url}`, { method: 'PUT' });
  return ((await response.json()) as { webSocketDebuggerUrl: string }).webSocketDebuggerUrl;
}

/** The floor: the same script, evaluated over the debugging protocol. */
async function rawEvaluate(address: string): Promise<{ run: () => Promise<number>; close: () => void }> {
  const socket = new WebSocket(address, { perMessageDeflate: false });
  await new Promise((resolve) => socket.once('open', resolve));
  const waiting = new Map<number, (text: string) => void>();
  socket.on('message', (data: Buffer) => {
    const { id, result } = JSON.parse(data.toString()) as { id: number; result: { result: { value: unknown } } };
    waiting.get(id)?.(JSON.stringify(result.result.value));
    waiting.delete(id);
  });
  let next = 1;
  const expression = `(async () => { ${SCRIPT} })()`;
  const run = async (): Promise<number> => {
    const id = next++;
    const text = await new Promise<string>((resolve) => {
      waiting.set(id, resolve);
      const params = { expression, awaitPromise: true, returnByValue: true };
      socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params }));
    });
    return text.length;
  };
  return { run, close: () => socket.close() };
}

async function pairAndInstall(forge: Forge, debugging: string, origin: string): Promise<void> {
  const headers = { 'X-Forge-Token': forge.token, 'Content-Type': 'application/json' };
  const send = (method: string, place: string, body?: unknown) =>
    fetch(forge.url + place, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const ticketPage = `chrome-extension://${EXTENSION_ID}/pair.html#port=${new URL(forge.url).port}&ticket=${'x'.repeat(43)}`;
  for (let tries = 0; ; tries += 1) {
    // The extension may not be there yet when its page is asked for.
    if (tries % 50 === 0) await openTab(debugging, encodeURIComponent(ticketPage));
    if (tries > 600) throw new Error('the browser did not ask to be paired');
    const { pending, browsers } = (await (await send('GET', '/api/browsers')).json()) as {
      pending: { id: string }[];
      browsers: { connected: boolean }[];
    };
    if (browsers.some(({ connected }) => connected)) break;
    for (const { id } of pending) await send('POST', `/api/browsers/${id}/accept`, {});
    await pause(100);
  }
  await send('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  await send('PUT', '/api/connectors/bench-browser/settings', { values: { base_url: origin } });
}

interface LoggedCall {
  stages: Record<string, number>;
  trace: { response: { timings?: Record<string, number> } | null };
}

/** Where the time of the last calls went: the server's stages, and the steps in the browser. */
async function printStages(forge: Forge): Promise<void> {
  const response = await fetch(`${forge.url}/api/calls?limit=100`, { headers: { 'X-Forge-Token': forge.token } });
  const { calls } = (await response.json()) as { calls: LoggedCall[] };
  const all = calls.map(({ stages, trace }) => ({ ...stages, ...trace.response?.timings }));
  const names = Object.keys(all[0] ?? {});
  const parts = names.map(
    (name) => `${name} ${seriesOf(all.map((each) => Number(each[name as keyof typeof each]))).median.toFixed(2)}`,
  );
  console.log(`  medians of the last ${calls.length}, in ms: ${parts.join(', ')}`);
}

/** A browser tool on a warm tab against the debugging protocol's own evaluate, in the same browser. */
export async function benchBrowser(forge: Forge): Promise<void> {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'forge-bench-profile-'));
  const site = await startSite();
  const { child, debugging } = await startChromium(profile);
  try {
    await pairAndInstall(forge, debugging, site.origin);
    const raw = await rawEvaluate(await openTab(debugging, `${site.origin}/raw`));
    // Chromium gives a tab in the background less of a busy processor; the tool's is in the background, so the floor's is too.
    await openTab(debugging, 'about:blank');
    const ours = calling(forge, 'bench-browser.rows', {});
    const cold = seriesOf(await fire(ours.run, 100, 1));
    for (const run of [ours.run, raw.run]) await fire(run, WARM_UP, 8);
    const latencies = { raw: [] as number[], forge: [] as number[] };
    for (let done = 0; done < CALLS; done += ROUND) {
      for (const side of shuffled(['raw', 'forge'] as const))
        latencies[side].push(...(await fire(side === 'raw' ? raw.run : ours.run, ROUND, 1)));
    }
    await printStages(forge);
    const [a, b] = [seriesOf(latencies.forge), seriesOf(latencies.raw)];
    const early = seriesOf(latencies.forge.slice(10, 100)).median;
    const late = seriesOf(latencies.forge.slice(-100)).median;
    const rates = { raw: [] as number[], forge: [] as number[] };
    for (let round = 0; round < 5; round += 1) {
      for (const side of shuffled(['raw', 'forge'] as const)) {
        const began = performance.now();
        await fire(side === 'raw' ? raw.run : ours.run, 200, 32);
        rates[side].push(200_000 / (performance.now() - began));
      }
    }
    const [fast, floor] = [seriesOf(rates.forge).median, seriesOf(rates.raw).median];
    console.log(
      `\n(f) browser tool, 20 kB, one at a time\n  raw evaluate           median ${ms(b.median)}  p95 ${ms(b.p95)}\n  forge                  median ${ms(a.median)} (${times(a.median / b.median)})  p95 ${ms(a.p95)} (${times(a.p95 / b.p95)})\n  forge, its first 100   median ${ms(cold.median)}\n  calls ${CALLS - 100}–${CALLS} against 10–100: ${times(late / early)}\n  32 in flight: raw ${floor.toFixed(0)}/s, forge ${fast.toFixed(0)}/s (${times(fast / floor)})`,
    );
    raw.close();
    await ours.close();
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
    site.close();
    // The browser's helpers write a moment longer than it lives.
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
