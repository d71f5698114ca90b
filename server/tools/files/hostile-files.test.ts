import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder, testForge } from '../../testing/forge.ts';
import { upstream } from '../../testing/upstream.ts';
import { packageOf, toolOf } from '../testing/package.ts';
import { createOpenFiles } from './open-files.ts';

const MANIFEST = (id: string): string => `id: ${id}
name: Site ${id}
version: "1.0.0"
settings: { base_url: { required: true } }
tools:
  read: { protocol: http, description: Reads., request: { url: '{base_url}/many' } }
  send: { protocol: http, description: Sends., parameters: { file: { type: file } }, request: { method: POST, url: '{base_url}/${id}', body: '{args.file}' } }
  look: { protocol: http, description: Looks up., parameters: { file: { type: file } }, request: { url: '{base_url}/${id}', body: '{args.file}' } }
`;
// As a service may write JSON, and as nobody would who reads it and writes it again.
const MANY = `{"all" : [${Array.from({ length: 3000 }, (_, index) => `{"index" : ${index}}`).join(' , ')}]}`;

async function start() {
  const home = tempFolder();
  const allowed = path.join(home, 'allowed');
  mkdirSync(allowed);
  const forge = await testForge({ FORGE_SEND_FOLDERS: allowed, FORGE_HOLD_SECONDS: '0' });
  const seen: Record<string, Awaited<ReturnType<typeof upstream>>['seen']> = {};
  for (const id of ['a', 'b']) {
    const site = await upstream((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(MANY);
    });
    seen[id] = site.seen;
    await forge.request('POST', '/api/connectors/install-local', { yaml: MANIFEST(id) });
    await forge.request('PUT', `/api/connectors/${id}/settings`, { values: { base_url: site.url } });
    const modes = { [`${id}.send`]: 'on' };
    expect((await forge.request('PATCH', `/api/connectors/${id}/modes`, { modes })).status).toBe(200);
  }
  const call = (tool: string, args: object = {}) => forge.request('POST', `/api/tools/${tool}/call`, { args });
  const asModel = async (tool: string, args: object = {}): Promise<string> => {
    const name = tool.replace('.', '__');
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'model', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name, arguments: args, _meta: meta };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const accept = { Accept: 'application/json, text/event-stream' };
    return (await forge.request('POST', '/mcp', body, { ...accept, ...headers })).text;
  };
  return { home, allowed, forge, seen, call, asModel };
}

describe('S2 a file that is not what its path says', () => {
  it('never sends Forge’s own data under another name', async () => {
    const { allowed, forge, call, seen } = await start();
    const other = path.join(allowed, 'harmless.txt');
    linkSync(path.join(forge.dataDir.root, 'token'), other);
    expect((await call('a.send', { file: other })).body).toMatchObject({ error: { code: 'file_refused' } });
    expect(seen['a']).toEqual([]);
  });

  it('asks about a file in an allowed folder that has another name elsewhere', async () => {
    const { home, allowed, call, seen } = await start();
    const outside = path.join(home, 'plan.txt');
    writeFileSync(outside, 'secret plan');
    linkSync(outside, path.join(allowed, 'plan.txt'));
    expect((await call('a.send', { file: path.join(allowed, 'plan.txt') })).status).toBe(409);
    expect(seen['a']).toEqual([]);
  });

  it('asks without characters that hide a part of the name', async () => {
    const { home, call, forge } = await start();
    const file = path.join(home, 'a\u2028\u061c\u200b\u00ad.txt');
    writeFileSync(file, 'x');
    expect((await call('a.send', { file })).status).toBe(409);
    const { approvals } = (await forge.request('GET', '/api/approvals')).body;
    expect(approvals[0].reason).toContain('Sends a????.txt (');
  });
});

describe('S8 what a model sends on', () => {
  it('asks about a result of another connector, also when this client has read nothing', async () => {
    const { call, asModel, seen } = await start();
    const { handle } = (await call('a.read')).body;
    expect(await asModel('b.send', { file: handle })).toContain('has read from a before');
    expect(seen['b']).toEqual([]);
    expect(await asModel('a.send', { file: handle })).not.toContain('approv');
    expect(seen['a']?.at(-1)).toMatchObject({ method: 'POST', body: MANY });
  });

  it('asks about a file that leaves with a request that only reads', async () => {
    const { allowed, asModel, seen } = await start();
    const file = path.join(allowed, 'list.txt');
    writeFileSync(file, 'x');
    await asModel('a.read');
    expect(await asModel('b.look', { file })).toContain('before, and what was read there may have led to this call');
    expect(seen['b']).toEqual([]);
  });
});

describe('S13 memory for files', () => {
  it('is the same for any number of calls, and free again when they have ended', async () => {
    const open = createOpenFiles({
      ...{ folders: [], dataDir: '/nowhere', maxHeldBytes: 10 },
      results: { jsonOf: () => Buffer.from('[1,2]'), bytesOf: () => 5, originOf: () => [] },
      files: { find: () => null, originOf: () => [] },
    });
    const pack = packageOf(
      `tools: { t: { protocol: http, parameters: { f: { type: file }, g: { type: file }, h: { type: file } }, request: { method: POST, url: 'https://a.test', body_multipart: { f: '{args.f}', g: '{args.g}', h: '{args.h}' } } } }`,
    );
    const send = (args: object) => open(toolOf(pack), { ...args }, { limits: undefined, reads: true });
    await expect(send({ f: 'res_1', g: 'res_1', h: 'res_1' })).rejects.toMatchObject({ code: 'files_busy' });
    const first = await send({ f: 'res_1', g: 'res_1' });
    await expect(send({ f: 'res_1' })).rejects.toMatchObject({ code: 'files_busy' });
    first.release();
    first.release();
    const second = await send({ f: 'res_1' });
    expect(second.files.get('f')?.content?.bytes.toString()).toBe('[1,2]');
    await send({ f: 'res_1' });
    await expect(send({ f: 'res_1' })).rejects.toMatchObject({ code: 'files_busy' });
  });
});
