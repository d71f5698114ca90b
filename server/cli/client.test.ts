import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../config.ts';
import { acquireLock } from '../store/lock.ts';
import { manifest } from '../testing/forge.ts';
import { json, upstream } from '../testing/upstream.ts';
import { withForge } from './client.ts';
import { findServer } from './find-server.ts';
import { cliWorld } from './testing/cli-world.ts';

function worldWithNote(note: unknown) {
  const world = cliWorld();
  mkdirSync(world.dataDir, { mode: 0o700 });
  writeFileSync(path.join(world.dataDir, 'server.json'), typeof note === 'string' ? note : JSON.stringify(note), {
    mode: 0o600,
  });
  return world;
}

describe('withForge', () => {
  it('uses the server that runs', async () => {
    const world = cliWorld();
    const forge = await world.startServer();
    const url = await withForge(readConfig(world.env), (connection) => Promise.resolve(connection.url));
    expect(url).toBe(forge.url);
  });

  it('starts one for the command alone when none runs, and leaves nothing running', async () => {
    const world = cliWorld();
    const { url, connectors } = await withForge(readConfig(world.env), async ({ url, api }) => ({
      url,
      connectors: await api.connectors(),
    }));
    expect(connectors).toEqual([]);
    await expect(fetch(`${url}/api/health`)).rejects.toThrow();
    expect(existsSync(path.join(world.dataDir, 'server.json'))).toBe(false);
    (await acquireLock(path.join(world.dataDir, 'lock.db'))).release();
  });

  it('does not touch the registry for work that does not need it', async () => {
    const registry = await upstream();
    const world = cliWorld({ FORGE_REGISTRY: registry.url });
    await withForge(readConfig(world.env), ({ api }) => api.tools());
    expect(registry.seen).toEqual([]);
  });

  it('closes its own server when the work fails', async () => {
    const world = cliWorld();
    await expect(withForge(readConfig(world.env), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    (await acquireLock(path.join(world.dataDir, 'lock.db'))).release();
  });

  it('waits for another command that is just finishing', async () => {
    const world = cliWorld();
    await world.run('connector list');
    const lock = await acquireLock(path.join(world.dataDir, 'lock.db'));
    const running = withForge(readConfig(world.env), ({ api }) => api.connectors());
    setTimeout(() => lock.release(), 20);
    expect(await running).toEqual([]);
  });

  it('tells that the data dir stays busy', async () => {
    const world = cliWorld();
    await world.run('connector list');
    const lock = await acquireLock(path.join(world.dataDir, 'lock.db'));
    onTestFinished(() => lock.release());
    const busy = withForge(readConfig(world.env), () => Promise.resolve(), { waitMs: 10 });
    await expect(busy).rejects.toMatchObject({ code: 'data_dir_busy' });
  });

  it('passes on the code, message, hint and details of a failure', async () => {
    const world = cliWorld();
    const failing = withForge(readConfig(world.env), ({ request }) =>
      request('POST', '/api/connectors/install-local', { yaml: 'id: x' }),
    );
    await expect(failing).rejects.toMatchObject({
      code: 'invalid_manifest',
      message: expect.stringContaining('not valid'),
      hint: expect.stringContaining('Fix'),
      details: expect.arrayContaining([expect.objectContaining({ severity: 'error' })]),
    });
  });

  it('says so when the token of a running server is gone', async () => {
    const world = cliWorld();
    await world.startServer();
    rmSync(path.join(world.dataDir, 'token'));
    const { code, stderr } = await world.run('connector list');
    expect([code, stderr]).toEqual([1, expect.stringContaining('its token is gone')]);
  });
});

describe('findServer', () => {
  it.each([
    ['a process that is gone', { url: 'http://127.0.0.1:1', pid: 2 ** 30 }],
    ['nothing that answers', { url: 'http://127.0.0.1:1', pid: process.pid }],
    ['an address elsewhere', { url: 'http://192.0.2.1:8403', pid: process.pid }],
    ['an address that only looks like this computer', { url: 'http://127.0.0.1:1@192.0.2.1', pid: process.pid }],
    ['half a note', '{"url": "http://127.'],
    ['another shape', []],
  ])('ignores a note about %s', async (_title, note) => {
    const world = worldWithNote(note);
    expect(await findServer(world.dataDir)).toBeNull();
    expect((await world.run('connector list')).code).toBe(0);
  });

  it('never sends the token to a program that took over the port', async () => {
    const other = await upstream(json({ status: 'ok' }));
    const world = worldWithNote({ url: other.url, pid: process.pid });
    const file = world.write('demo.yaml', manifest());
    expect((await world.run(`connector install ${file}`)).code).toBe(0);
    expect(other.seen.map(({ url, headers }) => [url, headers['x-forge-token']])).toEqual([['/api/health', undefined]]);
  });
});
