import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../store/database.ts';
import { manifest, tempFolder, testForge } from '../testing/forge.ts';
import { registryFiles } from './registry-files.ts';
import { Registry } from './registry.ts';

const ENTRY = {
  id: 'demo',
  name: 'Demo',
  icon: '🧪',
  version: '0.1.0',
  author: 'me',
  description: 'A demo.',
  min_forge_version: '0.8.0',
};

function writeRegistry(folder: string, version = '0.1.0'): string {
  mkdirSync(path.join(folder, 'demo'), { recursive: true });
  writeFileSync(
    path.join(folder, 'registry.json'),
    JSON.stringify({ version: 1, updated_at: '2026-01-01', connectors: [{ ...ENTRY, version }] }),
  );
  writeFileSync(path.join(folder, 'demo/manifest.yaml'), manifest('', 'demo', version));
  return folder;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/r`;
}

async function open(location: string, now = () => new Date()) {
  const db = await openDatabase(path.join(tempFolder(), 'forge.db'));
  onTestFinished(() => db.close());
  return { db, registry: new Registry(db, registryFiles(location), now) };
}

describe('W-20 C-122 a registry', () => {
  it('in a folder: lists, installs, and offers updates with what they change', async () => {
    const folder = writeRegistry(tempFolder());
    const forge = await testForge({ FORGE_REGISTRY: folder });
    const market = await forge.request('GET', '/api/connectors/marketplace');
    expect(market.body.connectors).toEqual([{ ...ENTRY, installed_version: null, update_available: false }]);
    expect((await forge.request('POST', '/api/connectors/marketplace/demo/install')).body).toMatchObject({
      ok: true,
      version: '0.1.0',
    });
    expect((await forge.request('GET', '/api/connectors/demo')).body).toMatchObject({
      source: { kind: 'registry', location: folder },
      update: null,
    });

    writeRegistry(folder, '0.2.0');
    writeFileSync(
      path.join(folder, 'demo/manifest.yaml'),
      manifest('  wipe: { protocol: shell, description: Wipe., command: [rm, -rf, /tmp/x] }\n', 'demo', '0.2.0'),
    );
    await forge.request('GET', '/api/connectors/marketplace?refresh=true');
    expect((await forge.request('GET', '/api/connectors')).body.connectors[0].update).toEqual({ version: '0.2.0' });
    expect((await forge.request('GET', '/api/connectors/demo/diff')).body).toMatchObject({
      from_version: '0.1.0',
      to_version: '0.2.0',
      changed: true,
      commands: { added: ['rm -rf /tmp/x'], removed: [] },
    });
    expect((await forge.request('POST', '/api/connectors/marketplace/demo/install')).body).toMatchObject({
      version: '0.2.0',
      previous_version: '0.1.0',
    });
  });

  it('at an address: reads the list, the manifest and its script files', async () => {
    const asked: string[] = [];
    const yaml =
      'id: demo\nname: Demo\nversion: "0.1.0"\nhost_match: https://a.test/*\nlogin_redirect: /login\ntools: { list: { description: d }, get: { description: d, script_file: tools/g.js } }\n';
    const files: Record<string, string> = {
      '/r/registry.json': JSON.stringify({ version: 1, connectors: [ENTRY] }),
      '/r/demo/manifest.yaml': yaml,
      '/r/demo/tools/list.js': 'return 1',
      '/r/demo/tools/g.js': 'return 2',
    };
    const address = await serve((request, response) => {
      asked.push(request.url ?? '');
      const body = files[request.url ?? ''];
      response.writeHead(body === undefined ? 404 : 200).end(body);
    });
    const { registry } = await open(address);
    const found = await registry.fetchPackage('demo');
    expect([...found.keys()]).toEqual(['manifest.yaml', 'tools/list.js', 'tools/g.js']);
    expect(asked[0]).toBe('/r/registry.json');
  });

  it('keeps the last good list when the registry goes away or breaks', async () => {
    const folder = writeRegistry(tempFolder());
    let time = Date.parse('2026-01-01');
    const { registry } = await open(folder, () => new Date(time));
    expect((await registry.list()).connectors).toHaveLength(1);
    writeFileSync(path.join(folder, 'registry.json'), '{"version": 1, "connectors": [{"id": "../x"}]}');
    expect(await registry.list()).toMatchObject({ problem: null });
    time += 61 * 60 * 1000;
    expect(await registry.list()).toMatchObject({
      connectors: [{ id: 'demo' }],
      problem: { code: 'registry_invalid' },
    });
    rmSync(folder, { recursive: true });
    expect(await registry.list(true)).toMatchObject({
      connectors: [{ id: 'demo' }],
      problem: { code: 'registry_unavailable' },
    });
  });

  it('a registry that is down takes nothing from the rest of Forge', async () => {
    const forge = await testForge({ FORGE_REGISTRY: 'http://127.0.0.1:1/' });
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
    expect((await forge.request('GET', '/api/connectors')).body.connectors).toHaveLength(1);
    expect((await forge.request('GET', '/api/connectors/marketplace')).body).toMatchObject({
      connectors: [],
      problem: { code: 'registry_unavailable' },
    });
    expect((await forge.request('POST', '/api/connectors/marketplace/demo/install')).status).toBe(502);
  });

  const broken: [title: string, listener: RequestListener, code: string][] = [
    ['an error page', (_request, response) => response.writeHead(500).end('no'), 'registry_unavailable'],
    [
      'a redirect',
      (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'registry_unavailable',
    ],
    ['HTML', (_request, response) => response.end('<html>'), 'registry_invalid'],
    [
      'a list of another version',
      (_request, response) => response.end('{"version": 2, "connectors": []}'),
      'registry_invalid',
    ],
    ['a flood', (_request, response) => response.end(Buffer.alloc(6 * 1024 * 1024)), 'registry_invalid'],
    [
      'half an answer',
      (_request, response) => response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
      'registry_unavailable',
    ],
  ];
  it.each(broken)('tells about %s', async (_title, listener, code) => {
    const { registry } = await open(await serve(listener));
    expect((await registry.list()).problem).toMatchObject({ code });
  });

  it('refuses a manifest that is another connector’s', async () => {
    const folder = writeRegistry(tempFolder());
    writeFileSync(path.join(folder, 'demo/manifest.yaml'), manifest('', 'other'));
    const { registry } = await open(folder);
    await expect(registry.fetchPackage('demo')).rejects.toMatchObject({ code: 'registry_invalid' });
    await expect(registry.fetchPackage('nope')).rejects.toMatchObject({ code: 'connector_not_found' });
    await expect(registry.fetchPackage('../demo')).rejects.toMatchObject({ code: 'connector_not_found' });
  });

  it('asks once however many want to know', async () => {
    let count = 0;
    const address = await serve((_request, response) => {
      count += 1;
      response.end(JSON.stringify({ version: 1, connectors: [ENTRY] }));
    });
    const { registry } = await open(address);
    await Promise.all(Array.from({ length: 20 }, () => registry.list()));
    expect(count).toBe(1);
  });
});
