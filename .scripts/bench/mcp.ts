// A call over /mcp by a raw JSON-RPC client, as a ratio to a bare Koa route that makes the same request, and beside minimal servers on
// the official SDK.
import path from 'node:path';
import { writeManyConnectors } from '../../server/mcp/testing/many-connectors.ts';
import { compare, fire, report } from './load.ts';
import { startBundle, startForge, type Forge, type Running } from './processes.ts';
import { ms, seriesOf } from './stats.ts';
import { calling, isOk, posting, type World } from './world.ts';

const STATELESS = '2026-07-28';
const CALL = { name: 'bench__item', arguments: { id: '7' } };
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

let lastId = 0;

function rpc(method: string, params: object): string {
  lastId += 1;
  return JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params });
}

/** The floor gets the same messages with the same headers: what they cost the client is nobody's overhead. */
function floorOf(bare: Running) {
  const headers = { ...JSON_HEADERS, 'x-forge-token': 'x'.repeat(43), 'mcp-session-id': 'x'.repeat(32) };
  return posting('bare koa', bare, {
    ...{ path: '/call', headers: { ...headers, 'mcp-protocol-version': '2025-11-25' }, isRight: isOk },
    body: () => rpc('tools/call', CALL),
  });
}

const isRight = (text: string): boolean => !text.includes('"isError":true') && !text.includes('"error":');

/** A client that says hello once and then sends its calls in that session. */
async function inSession(name: string, running: Running, headers: Record<string, string> = {}) {
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const response = await fetch(`${running.url}/mcp`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body: rpc('initialize', hello),
  });
  await response.text();
  const session = {
    'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  };
  return posting(name, running, {
    ...{ path: '/mcp', headers: { ...JSON_HEADERS, ...headers, ...session }, isRight },
    body: () => rpc('tools/call', CALL),
  });
}

/** A client of the revision without sessions. */
function withoutSession(name: string, forge: Forge) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': STATELESS,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { 'mcp-protocol-version': STATELESS, 'mcp-method': 'tools/call', 'mcp-name': CALL.name };
  return posting(name, forge, {
    ...{ path: '/mcp', headers: { ...JSON_HEADERS, 'x-forge-token': forge.token, ...headers }, isRight },
    body: () => rpc('tools/call', { ...CALL, _meta: meta }),
  });
}

/** tools/list of 2,000 tools, from what is kept. */
async function benchList(folder: string): Promise<void> {
  const dataDir = path.join(folder, 'data-list');
  writeManyConnectors(dataDir, 100, 20);
  const forge = await startForge(dataDir, { FORGE_MCP_MAX_TOOLS: '100000' });
  let bytes = 0;
  const list = async (): Promise<void> => {
    const response = await fetch(`${forge.url}/mcp`, {
      method: 'POST',
      headers: { ...JSON_HEADERS, 'x-forge-token': forge.token },
      body: rpc('tools/list', {}),
    });
    bytes = (await response.text()).length;
  };
  await list();
  const { median, p95 } = seriesOf(await fire(list, 30, 1));
  console.log(`\ntools/list of 2,000 tools (${Math.round(bytes / 1000)} kB): median ${ms(median)}  p95 ${ms(p95)}`);
  await forge.stop();
}

export async function benchMcp({ folder, upstream, bare, forge }: World): Promise<void> {
  const sdk2 = await startBundle(folder, 'mcp-sdk', '/health', upstream.url);
  const sdk1 = await startBundle(folder, 'mcp-sdk-1', '/health', upstream.url);
  const targets = [
    floorOf(bare),
    await inSession('forge /mcp', forge, { 'x-forge-token': forge.token }),
    withoutSession(`forge /mcp, ${STATELESS}`, forge),
    { ...calling(forge, 'bench.item', CALL.arguments), name: 'forge /api' },
    await inSession('minimal SDK 2.x', sdk2),
    await inSession('minimal SDK 1.x', sdk1),
  ];
  // Many first: by then V8 has compiled all of it, on every side.
  report('MCP call, 32 in flight', await compare(targets, 1600, 32));
  report('MCP call, one at a time', await compare(targets, 200, 1));
  for (const target of targets) await target.close();
  await Promise.all([sdk1.stop(), sdk2.stop()]);
  await benchList(folder);
}
