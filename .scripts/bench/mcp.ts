// A call over /mcp by a raw JSON-RPC client, as a ratio to a bare Koa route that makes the same request, and beside minimal servers on
// the official SDK. `tsx .scripts/bench/mcp.ts` runs it alone; it needs a build. Nothing here fails on a number.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Pool } from 'undici';
import { writeManyConnectors } from '../../server/mcp/testing/many-connectors.ts';
import { cpuMs, freePort, ROOT, start, type Running } from './processes.ts';
import { ms, ratio, seriesOf, shuffled, times } from './stats.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? '12');
const STATELESS = '2026-07-28';
const MANIFEST = `id: bench
name: Bench
version: "1.0.0"
settings: { base_url: { required: true }, token: { type: secret } }
auth: { type: bearer, token: '{settings.token}' }
tools:
  item: { protocol: http, parameters: { id: { required: true } }, request: { url: '{base_url}/items/{args.id}' } }
`;

interface Target {
  name: string;
  running: Running;
  path: string;
  headers: Record<string, string>;
  body: (call: number) => string;
}

interface Forge extends Running {
  token: string;
}

const CALL = { name: 'bench__item', arguments: { id: '7' } };
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const rpc = (id: number, method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

async function bundle(folder: string, name: string): Promise<string> {
  const outfile = path.join(folder, `${name}.mjs`);
  const banner = "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);";
  await build({
    absWorkingDir: ROOT,
    entryPoints: [`.scripts/bench/${name}.ts`],
    ...{ outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20.19' },
    ...{ minifyWhitespace: true, minifySyntax: true, banner: { js: banner } },
  });
  return outfile;
}

/** The built server on a port and a data dir of its own. */
export async function startForge(dataDir: string, env: Record<string, string> = {}): Promise<Forge> {
  const port = await freePort();
  const around = { FORGE_DATA_DIR: dataDir, FORGE_PORT: String(port), FORGE_KEY_STORE: 'file', FORGE_LOG: 'silent' };
  const file = path.join(ROOT, 'dist/forge.js');
  const running = await start(file, ['start'], port, '/api/health', { ...around, ...env });
  return { ...running, token: readFileSync(path.join(dataDir, 'token'), 'utf8').trim() };
}

/** A client that says hello once and then sends its calls in that session. */
async function sessionTarget(name: string, running: Running, headers: Record<string, string> = {}): Promise<Target> {
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const response = await fetch(`${running.url}/mcp`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body: rpc(0, 'initialize', hello),
  });
  await response.text();
  const session = {
    'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  };
  return {
    ...{ name, running, path: '/mcp', headers: { ...JSON_HEADERS, ...headers, ...session } },
    body: (call) => rpc(call, 'tools/call', CALL),
  };
}

/** A client of the revision without sessions. */
function statelessTarget(name: string, running: Forge): Target {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': STATELESS,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { 'mcp-protocol-version': STATELESS, 'mcp-method': 'tools/call', 'mcp-name': CALL.name };
  return {
    ...{ name, running, path: '/mcp', headers: { ...JSON_HEADERS, 'x-forge-token': running.token, ...headers } },
    body: (call) => rpc(call, 'tools/call', { ...CALL, _meta: meta }),
  };
}

async function fire(target: Target, pool: Pool, count: number, concurrency: number): Promise<number[]> {
  const latencies: number[] = [];
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const began = performance.now();
      const { path: place, headers } = target;
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: place,
        headers,
        body: target.body(left + 1),
      });
      const text = await body.text();
      latencies.push(performance.now() - began);
      if (statusCode !== 200 || text.includes('"isError":true') || text.includes('"error":'))
        throw new Error(`${target.name} answered ${statusCode}: ${text.slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return latencies;
}

/** Rounds in which the targets take turns; the first one is the floor. */
async function compare(targets: readonly Target[], perRound: number, concurrency: number): Promise<void> {
  const runs = targets.map((target) => ({
    ...{ target, pool: new Pool(target.running.url, { connections: 64 }) },
    ...{ latencies: [] as number[], cpu: 0 },
  }));
  for (const { target, pool } of runs) await fire(target, pool, perRound * 2, concurrency);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const run of shuffled(runs)) {
      const before = cpuMs(run.target.running.child.pid ?? 0);
      run.latencies.push(...(await fire(run.target, run.pool, perRound, concurrency)));
      run.cpu += cpuMs(run.target.running.child.pid ?? 0) - before;
    }
  }
  const [floor] = runs;
  if (floor === undefined) return;
  console.log(`\nMCP call, concurrency ${concurrency}`);
  for (const { target, latencies, cpu } of runs) {
    const series = seriesOf(latencies);
    const { median, p95 } = ratio(series, seriesOf(floor.latencies));
    const shown = [`median ${ms(series.median)} (${times(median)})`, `p95 ${ms(series.p95)} (${times(p95)})`];
    console.log(`  ${target.name.padEnd(24)} ${shown.join('  ')}  cpu ${times(cpu / floor.cpu)}`);
  }
  for (const { pool } of runs) await pool.close();
}

/** tools/list of 2,000 tools, from what is kept. */
async function benchList(folder: string): Promise<void> {
  const dataDir = path.join(folder, 'many');
  writeManyConnectors(dataDir, 100, 20);
  const forge = await startForge(dataDir, { FORGE_MCP_MAX_TOOLS: '100000' });
  const latencies: number[] = [];
  let bytes = 0;
  for (let read = 0; read < 30; read += 1) {
    const began = performance.now();
    const response = await fetch(`${forge.url}/mcp`, {
      method: 'POST',
      headers: { ...JSON_HEADERS, 'x-forge-token': forge.token },
      body: rpc(read, 'tools/list', {}),
    });
    bytes = (await response.text()).length;
    if (read > 0) latencies.push(performance.now() - began);
  }
  const { median, p95 } = seriesOf(latencies);
  console.log(`\ntools/list of 2,000 tools (${Math.round(bytes / 1000)} kB): median ${ms(median)}  p95 ${ms(p95)}`);
  await forge.stop();
}

/** Everything about MCP, with servers of its own. */
export async function benchMcp(): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'forge-bench-mcp-'));
  const startBundle = async (name: string, health: string, upstream: string): Promise<Running> => {
    const port = await freePort();
    const env = { BENCH_PORT: String(port), BENCH_UPSTREAM: upstream };
    return start(await bundle(folder, name), [], port, health, env);
  };
  const upstream = await startBundle('upstream', '/items/0', '');
  const bare = await startBundle('bare-koa', '/health', upstream.url);
  const sdk2 = await startBundle('mcp-sdk', '/health', upstream.url);
  const sdk1 = await startBundle('mcp-sdk-1', '/health', upstream.url);
  const dataDir = path.join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const forge = await startForge(dataDir);
  const token = { 'x-forge-token': forge.token };
  const send = (method: string, place: string, body: unknown): Promise<Response> =>
    fetch(forge.url + place, { method, headers: { ...JSON_HEADERS, ...token }, body: JSON.stringify(body) });
  await send('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  const values = { base_url: upstream.url, token: 'bench-token-value' };
  await send('PUT', '/api/connectors/bench/settings', { values });
  const args = JSON.stringify({ args: CALL.arguments });
  const targets: Target[] = [
    { name: 'bare koa', running: bare, path: '/call', headers: JSON_HEADERS, body: () => args },
    await sessionTarget('forge /mcp', forge, token),
    statelessTarget(`forge /mcp, ${STATELESS}`, forge),
    {
      name: 'forge /api',
      running: forge,
      path: '/api/tools/bench.item/call',
      headers: { 'content-type': 'application/json', ...token },
      body: () => args,
    },
    await sessionTarget('minimal SDK 2.x', sdk2),
    await sessionTarget('minimal SDK 1.x', sdk1),
  ];
  await compare(targets, 200, 1);
  await compare(targets, 1600, 32);
  await Promise.all([forge, bare, sdk1, sdk2, upstream].map((running) => running.stop()));
  await benchList(folder);
  rmSync(folder, { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchMcp();
