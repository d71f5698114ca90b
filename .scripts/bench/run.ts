// npm run bench: our overhead as a ratio to the floor beneath it, measured in the same run. Nothing here fails on a number.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { Pool } from 'undici';
import { build as buildForge } from '../../server/launch/build.mjs';
import { benchBrowser } from './browser.ts';
import { benchChat } from './chat.ts';
import { benchMcp } from './mcp.ts';
import { benchPage } from './page.ts';
import { cpuMs, freePort, pssMb, ROOT, start, type Running } from './processes.ts';
import { ms, ratio, seriesOf, shuffled, times, type Series } from './stats.ts';
import { benchWatches } from './watches.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? '12');
/** `BENCH_ONLY=browser`, `BENCH_ONLY=page`, `BENCH_ONLY=chat` and `BENCH_ONLY=watches` leave the rest out. */
const ONLY = process.env['BENCH_ONLY'];
const folder = mkdtempSync(path.join(os.tmpdir(), 'forge-bench-'));

interface Target {
  name: string;
  running: Running;
  pool: Pool;
  path: string;
  headers: Record<string, string>;
  body: string;
}

interface Measured {
  latency: Series;
  cpuPerCall: number;
}

async function bundle(name: string): Promise<string> {
  const outfile = path.join(folder, `${name}.mjs`);
  const banner = "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);";
  await build({
    absWorkingDir: ROOT,
    entryPoints: [`.scripts/bench/${name}.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    minifyWhitespace: true,
    minifySyntax: true,
    banner: { js: banner },
  });
  return outfile;
}

async function fire(target: Target, count: number, concurrency: number): Promise<number[]> {
  const latencies: number[] = [];
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const began = performance.now();
      const { statusCode, body } = await target.pool.request({
        method: 'POST',
        path: target.path,
        headers: target.headers,
        body: target.body,
      });
      const text = await body.text();
      latencies.push(performance.now() - began);
      if (statusCode !== 200 || !text.startsWith('{"ok":true'))
        throw new Error(`${target.name} answered ${statusCode}: ${text.slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return latencies;
}

/** Rounds in which the targets take turns. */
async function compare(
  targets: readonly Target[],
  perRound: number,
  concurrency: number,
): Promise<Map<string, Measured>> {
  const latencies = new Map(targets.map(({ name }) => [name, [] as number[]]));
  const cpu = new Map(targets.map(({ name }) => [name, 0]));
  for (const target of targets) await fire(target, perRound * 2, concurrency);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const target of shuffled(targets)) {
      const before = cpuMs(target.running.child.pid ?? 0);
      latencies.get(target.name)?.push(...(await fire(target, perRound, concurrency)));
      cpu.set(target.name, (cpu.get(target.name) ?? 0) + cpuMs(target.running.child.pid ?? 0) - before);
    }
  }
  return new Map(
    targets.map(({ name }) => [
      name,
      { latency: seriesOf(latencies.get(name) ?? []), cpuPerCall: (cpu.get(name) ?? 0) / (ROUNDS * perRound) },
    ]),
  );
}

function report(title: string, measured: Map<string, Measured>, floor: string): void {
  const base = measured.get(floor);
  if (base === undefined) return;
  console.log(`\n${title}`);
  for (const [name, { latency, cpuPerCall }] of measured) {
    const { median, p95 } = ratio(latency, base.latency);
    console.log(
      `  ${name.padEnd(22)} median ${ms(latency.median)} (${times(median)})  p95 ${ms(latency.p95)} (${times(p95)})  cpu/call ${ms(cpuPerCall)} (${times(cpuPerCall / base.cpuPerCall)})`,
    );
  }
}

const DEMO = `id: bench
name: Bench
version: "1.0.0"
settings: { base_url: { required: true }, token: { type: secret } }
auth: { type: bearer, token: '{settings.token}' }
tools:
  item: { protocol: http, parameters: { id: { required: true } }, request: { url: '{base_url}/items/{args.id}' } }
  echo: { protocol: shell, parameters: { text: { required: true } }, command: [echo, '{args.text}'] }
  exchanged:
    protocol: http
    parameters: { id: { required: true } }
    auth: { type: bearer-token-exchange, api_token: '{settings.token}', exchange_url: '{settings.base_url}/login' }
    request: { url: '{base_url}/items/{args.id}' }
`;

function many(connectors: number, tools: number): void {
  for (let index = 0; index < connectors; index += 1) {
    const id = `many-${index}`;
    const list = Array.from(
      { length: tools },
      (_, tool) =>
        `  tool_${tool}:\n    protocol: http\n    description: Does thing number ${tool} for connector ${index}, with a description of a usual length.\n    parameters:\n      project: { type: string, required: true, description: The project to look at. }\n      state: { type: select, options: [open, closed, all], default: open }\n      limit: { type: integer, default: 25, description: How many to return. }\n    request: { url: 'https://api-${index}.example.com/projects/{args.project}/things', query: { state: '{args.state}', limit: '{args.limit}' } }\n`,
    );
    const place = path.join(folder, 'data-many/connectors', id);
    mkdirSync(place, { recursive: true, mode: 0o700 });
    writeFileSync(
      path.join(place, 'manifest.yaml'),
      `id: ${id}\nname: Many ${index}\nversion: "1.0.0"\ndescription: One of very many connectors for the bench.\ntools:\n${list.join('')}`,
    );
  }
}

async function call(url: string, token: string, method: string, place: string, body?: unknown): Promise<unknown> {
  const response = await fetch(url + place, {
    method,
    headers: { 'X-Forge-Token': token, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
}

async function startForge(dataDir: string): Promise<Running & { token: string }> {
  const port = await freePort();
  const env = { FORGE_DATA_DIR: dataDir, FORGE_PORT: String(port), FORGE_KEY_STORE: 'file', FORGE_LOG: 'silent' };
  const running = await start(path.join(ROOT, 'dist/forge.js'), ['start'], port, '/api/health', env);
  const { readFileSync } = await import('node:fs');
  return { ...running, token: readFileSync(path.join(dataDir, 'token'), 'utf8').trim() };
}

async function main(): Promise<void> {
  await buildForge();
  if (ONLY === 'watches') return benchWatches(await bundle('upstream'), folder);
  if (ONLY === 'page') return benchPage();
  if (ONLY === 'chat') return benchConversation();
  const [bareFile, upstreamFile] = [await bundle('bare-koa'), await bundle('upstream')];
  const upstreamPort = await freePort();
  const upstream = await start(upstreamFile, [], upstreamPort, '/items/0', { BENCH_PORT: String(upstreamPort) });
  const startBare = async () => {
    const port = await freePort();
    return start(bareFile, [], port, '/health', { BENCH_PORT: String(port), BENCH_UPSTREAM: upstream.url });
  };
  const bare = await startBare();
  const again = await startBare();
  const forge = await startForge(path.join(folder, 'data'));
  await call(forge.url, forge.token, 'POST', '/api/connectors/install-local', { yaml: DEMO });
  await call(forge.url, forge.token, 'PUT', '/api/connectors/bench/settings', {
    values: { base_url: upstream.url, token: 'bench-token-value' },
  });

  const body = JSON.stringify({ args: { id: '7' } });
  const target = (name: string, running: Running, place: string, headers: Record<string, string> = {}): Target => ({
    name,
    running,
    pool: new Pool(running.url, { connections: 64 }),
    path: place,
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  if (ONLY === 'browser') {
    await benchBrowser(forge);
    await Promise.all([forge.stop(), bare.stop(), again.stop(), upstream.stop()]);
    return;
  }
  const targets = [
    target('bare koa', bare, '/call'),
    target('bare koa, again', again, '/call'),
    target('forge', forge, '/api/tools/bench.item/call', { 'x-forge-token': forge.token }),
  ];
  report('(a) http call, concurrency 1', await compare(targets, 200, 1), 'bare koa');
  report('(a) http call, concurrency 32', await compare(targets, 1600, 32), 'bare koa');
  for (const { pool } of targets) await pool.close();

  await benchShell(forge);
  await benchExchange(forge, upstream.url);
  await benchBrowser(forge);
  console.log(`\n(c) idle memory: forge ${pssMb(forge.child.pid ?? 0).toFixed(1)} MB PSS after the load above`);
  await Promise.all([forge.stop(), bare.stop(), again.stop()]);
  await benchStart(startBare);
  await benchMcp();
  await benchPage();
  await benchConversation();
  await benchWatches(upstreamFile, folder);
  await upstream.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** On a server of its own: conversations need a model. */
async function benchConversation(): Promise<void> {
  const forge = await startForge(path.join(folder, 'data-chat'));
  await benchChat(forge, await bundle('bare-chat'));
  await forge.stop();
}

async function benchShell(forge: Running & { token: string }): Promise<void> {
  const pool = new Pool(forge.url, { connections: 64 });
  const ours: Target = {
    name: 'forge',
    running: forge,
    pool,
    path: '/api/tools/bench.echo/call',
    headers: { 'content-type': 'application/json', 'x-forge-token': forge.token },
    body: JSON.stringify({ args: { text: 'hello' } }),
  };
  const floor = (count: number, concurrency: number) => runExecFile(count, concurrency);
  for (const concurrency of [1, 32]) {
    const perRound = concurrency === 1 ? 40 : 160;
    const forgeTimes: number[] = [];
    const floorTimes: number[] = [];
    await fire(ours, perRound, concurrency);
    await floor(perRound, concurrency);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const side of shuffled(['forge', 'floor'])) {
        if (side === 'forge') forgeTimes.push(...(await fire(ours, perRound, concurrency)));
        else floorTimes.push(...(await floor(perRound, concurrency)));
      }
    }
    const [a, b] = [seriesOf(forgeTimes), seriesOf(floorTimes)];
    const { median, p95 } = ratio(a, b);
    console.log(
      `\n(b) shell call, concurrency ${concurrency}\n  execFile               median ${ms(b.median)}  p95 ${ms(b.p95)}\n  forge                  median ${ms(a.median)} (${times(median)})  p95 ${ms(a.p95)} (${times(p95)})`,
    );
  }
  await pool.close();
}

async function runExecFile(count: number, concurrency: number): Promise<number[]> {
  const latencies: number[] = [];
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const began = performance.now();
      await new Promise<void>((resolve, reject) =>
        execFile('echo', ['hello'], (error, stdout) =>
          error === null && stdout === 'hello\n' ? resolve() : reject(new Error('echo failed')),
        ),
      );
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return latencies;
}

async function benchExchange(forge: Running & { token: string }, upstream: string): Promise<void> {
  const pool = new Pool(forge.url, { connections: 200 });
  const target: Target = {
    name: 'exchange',
    running: forge,
    pool,
    path: '/api/tools/bench.exchanged/call',
    headers: { 'content-type': 'application/json', 'x-forge-token': forge.token },
    body: JSON.stringify({ args: { id: '7' } }),
  };
  await fire(target, 1000, 1000);
  const { logins } = (await (await fetch(`${upstream}/logins`)).json()) as { logins: number };
  console.log(`\n(e) exchanges under 1,000 concurrent calls: ${logins}`);
  await pool.close();
}

async function benchStart(startBare: () => Promise<Running>): Promise<void> {
  many(100, 20);
  const starts = { bare: [] as number[], forge: [] as number[], many: [] as number[] };
  const memory: number[] = [];
  const lists: number[] = [];
  await (await startForge(path.join(folder, 'data-many'))).stop();
  for (let round = 0; round < 7; round += 1) {
    const bare = await startBare();
    starts.bare.push(bare.startMs);
    await bare.stop();
    const forge = await startForge(path.join(folder, 'data'));
    starts.forge.push(forge.startMs);
    memory.push(pssMb(forge.child.pid ?? 0));
    await forge.stop();
    const full = await startForge(path.join(folder, 'data-many'));
    starts.many.push(full.startMs);
    await call(full.url, full.token, 'GET', '/api/tools');
    for (let read = 0; read < 5; read += 1) {
      const began = performance.now();
      await call(full.url, full.token, 'GET', '/api/tools');
      lists.push(performance.now() - began);
    }
    await full.stop();
  }
  const [bare, forge, full] = [seriesOf(starts.bare), seriesOf(starts.forge), seriesOf(starts.many)];
  console.log(
    `\n(c) start to first answer: bare koa ${ms(bare.median)}, forge ${ms(forge.median)} (${times(forge.median / bare.median)}); idle ${seriesOf(memory).median.toFixed(1)} MB PSS`,
  );
  console.log(
    `(d) 100 connectors × 20 tools: start ${ms(full.median)} (+${ms(full.median - forge.median)}); tools list ${ms(seriesOf(lists).median)} with transfer`,
  );
}

await main();
