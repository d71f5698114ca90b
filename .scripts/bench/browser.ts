import WebSocket from 'ws';
import { openTab, startChromium } from './chromium.ts';
import { fire } from './load.ts';
import { ask, type Forge } from './processes.ts';
import { startSite } from './site.ts';
import { ms, seriesOf, shuffled, times } from './stats.ts';
import { calling } from './world.ts';

const CALLS = Number(process.env['BENCH_BROWSER_CALLS'] ?? '500');
const ROUND = 50;
const IN_FLIGHT = 32;
/** Until then V8 is still compiling what runs often: in Forge, in the extension and in the page. */
const WARM_UP = 5000;
/** One at a time they take another way through the extension. */
const WARM_UP_SINGLE = 1000;

const SCRIPT = `return Array.from(document.querySelectorAll('tr')).map((row) => ({
  key: row.dataset.key, title: row.children[0].textContent, owner: row.children[1].textContent, link: row.querySelector('a').href }));`;

const MANIFEST = `id: bench-browser
name: Bench browser
version: "1.0.0"
settings: { base_url: { required: true } }
host_match: "{base_url}/*"
tools:
  rows:
    read_only: true
    page: { url: "{base_url}/table", on_target: /table }
    script: |
${SCRIPT.split('\n')
  .map((line) => `      ${line}`)
  .join('\n')}
`;

/** A table whose hundred rows come to about 20 kB of JSON. */
function tablePage(): string {
  const words = 'a title with as many words as they have in real projects, and then some more of them for good measure';
  const rows = Array.from(
    { length: 100 },
    (_, n) =>
      `<tr data-key="K-${n}"><td>Summary ${n}: ${words}</td><td>Somebody Number ${n}</td><td><a href="/browse/K-${n}">open</a></td></tr>`,
  );
  return `<!doctype html><title>Table</title><table>${rows.join('')}</table>`;
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
  const site = await startSite(tablePage());
  const { debugging, stop } = await startChromium(forge);
  try {
    await ask(forge, 'POST', '/api/connectors/install-local', { yaml: MANIFEST });
    await ask(forge, 'PUT', '/api/connectors/bench-browser/settings', { values: { base_url: site.origin } });
    const raw = await rawEvaluate(await openTab(debugging, `${site.origin}/raw`));
    // Chromium gives a tab in the background less of a busy processor; the tool's is in the background, so the floor's is too.
    await openTab(debugging, 'about:blank');
    const ours = calling(forge, 'bench-browser.rows', {});
    const cold = seriesOf(await fire(ours.run, 100, 1));
    for (const run of [ours.run, raw.run]) await fire(run, WARM_UP, IN_FLIGHT);
    const rates = { raw: [] as number[], forge: [] as number[] };
    for (let round = 0; round < 5; round += 1) {
      for (const side of shuffled(['raw', 'forge'] as const)) {
        const began = performance.now();
        await fire(side === 'raw' ? raw.run : ours.run, CALLS, IN_FLIGHT);
        rates[side].push((CALLS * 1000) / (performance.now() - began));
      }
    }
    for (const run of [ours.run, raw.run]) await fire(run, WARM_UP_SINGLE, 1);
    const latencies = { raw: [] as number[], forge: [] as number[] };
    for (let done = 0; done < CALLS; done += ROUND) {
      for (const side of shuffled(['raw', 'forge'] as const))
        latencies[side].push(...(await fire(side === 'raw' ? raw.run : ours.run, ROUND, 1)));
    }
    await printStages(forge);
    const [a, b] = [seriesOf(latencies.forge), seriesOf(latencies.raw)];
    const early = seriesOf(latencies.forge.slice(10, 100)).median;
    const late = seriesOf(latencies.forge.slice(-100)).median;
    const [fast, floor] = [seriesOf(rates.forge).median, seriesOf(rates.raw).median];
    console.log(
      `\n(f) browser tool, 20 kB, one at a time\n  raw evaluate           median ${ms(b.median)}  p95 ${ms(b.p95)}\n  forge                  median ${ms(a.median)} (${times(a.median / b.median)})  p95 ${ms(a.p95)} (${times(a.p95 / b.p95)})\n  forge, its first 100   median ${ms(cold.median)}\n  calls ${CALLS - 100}–${CALLS} against 10–100: ${times(late / early)}\n  ${IN_FLIGHT} in flight: raw ${floor.toFixed(0)}/s, forge ${fast.toFixed(0)}/s (${times(fast / floor)})`,
    );
    raw.close();
    await ours.close();
  } finally {
    await stop();
    site.close();
  }
}
