import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { packZip } from '../server/cli/pack-zip.ts';
import { json, upstream } from '../server/testing/upstream.ts';
import { runForge, startForgeProcess, tempFolder } from './testing/forge-process.ts';

describe('npm start', () => {
  it('K-30 C-113 prints the address, a login link, the data dir and what is installed, and stops on SIGTERM', async () => {
    const dataDir = path.join(tempFolder(), 'data');
    const forge = await startForgeProcess(dataDir);
    expect(forge.output()).toContain(`running at ${forge.url}`);
    expect(forge.output()).toContain(dataDir);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(dataDir, 'token')).mode & 0o777).toBe(0o600);
    expect(statSync(path.join(dataDir, 'forge.db')).mode & 0o777).toBe(0o600);
    forge.child.kill('SIGTERM');
    expect(await forge.exited).toBe(0);
    expect(existsSync(path.join(dataDir, 'server.json'))).toBe(false);
  });

  it('a second Forge on the same data dir says where the first one is', async () => {
    const dataDir = path.join(tempFolder(), 'data');
    const forge = await startForgeProcess(dataDir);
    const second = await runForge(dataDir, ['start']);
    expect(second.code).toBe(1);
    expect(second.stdout + second.stderr).toContain(forge.url);
  });

  it('commands reach the running server, and work without one', async () => {
    const dataDir = path.join(tempFolder(), 'data');
    const forge = await startForgeProcess(dataDir);
    expect((await runForge(dataDir, ['connector', 'install', 'git'])).code).toBe(0);
    const { tools } = (await (await forge.call('GET', '/api/tools')).json()) as { tools: { connector: string }[] };
    expect(tools[0]?.connector).toBe('git');
    forge.child.kill('SIGKILL');
    await forge.exited;
    const listed = await runForge(dataDir, ['connector', 'list', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id: 'git', state: 'ready' }]);
  });

  it('C-117 C-122 the built server reads a registry on the web and opens a zip', async () => {
    const offer = { id: 'wiki', name: 'Wiki', version: '1.0.0', description: 'Pages of the team.' };
    const registry = await upstream(json({ version: 1, connectors: [offer] }));
    const forge = await startForgeProcess(path.join(tempFolder(), 'data'), { FORGE_REGISTRY: registry.url });
    const offered = await (await forge.call('GET', '/api/connectors/marketplace?refresh=true')).json();
    expect(offered).toMatchObject({ problem: null, connectors: [{ id: 'wiki' }] });
    const yaml = `id: wiki\nname: Wiki\nversion: "1.0.0"\ntools: { t: { protocol: shell, description: Lists., command: [ls] } }\n`;
    const installed = await fetch(`${forge.url}/api/connectors/install-local`, {
      method: 'POST',
      headers: { 'X-Forge-Token': forge.token, 'Content-Type': 'application/zip' },
      body: new Uint8Array(packZip(new Map([['manifest.yaml', Buffer.from(yaml)]]))),
    });
    expect([installed.status, await installed.json()]).toMatchObject([201, { id: 'wiki' }]);
  });

  it('refuses a data dir that others can read, with the command that fixes it', async () => {
    const dataDir = path.join(tempFolder(), 'data');
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o755);
    const { code, stderr } = await runForge(dataDir, ['start']);
    expect(code).toBe(1);
    expect(stderr).toContain(`chmod 700 '${dataDir}'`);
  });

  it('tells about a damaged database and leaves it as it is', async () => {
    const dataDir = path.join(tempFolder(), 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    const database = path.join(dataDir, 'forge.db');
    const damaged = Buffer.from('SQLite format 3\0 but not really');
    writeFileSync(database, damaged, { mode: 0o600 });
    const { code, stderr } = await runForge(dataDir, ['start']);
    expect(code).toBe(1);
    expect(stderr).toContain(database);
    expect(stderr).toContain('forge doctor');
    expect(readFileSync(database)).toEqual(damaged);
  });

  it('names the command as it works in a clone: in hints of commands, in answers and in help', async () => {
    const forge = await startForgeProcess(path.join(tempFolder(), 'data'));
    const refused = await fetch(`${forge.url}/api/tools`);
    expect(await refused.json()).toMatchObject({
      error: { hint: expect.stringContaining('`npx forge token --print`') },
    });
    const unknown = await runForge(path.join(tempFolder(), 'data'), ['call', 'shop.search']);
    expect(unknown.stderr).toContain('`npx forge tools` shows');
    const help = await runForge(path.join(tempFolder(), 'data'), ['connector', 'settings', '--help']);
    expect(help.stdout).toContain('Usage: npx forge connector settings');
    expect(help.stdout).toContain('pass show jenkins | npx forge connector settings');
    expect(help.stdout).not.toMatch(/(?<!npx )forge connector/);
  });

  it('says so when the port belongs to another program', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { code, stderr } = await runForge(path.join(tempFolder(), 'data'), ['start'], { FORGE_PORT: String(port) });
    expect(code).toBe(1);
    expect(stderr).toContain(String(port));
    expect(stderr).toContain('FORGE_PORT');
  });

  it('a wrong key is told, secrets stay as they are, and the rest works', async () => {
    const dataDir = path.join(tempFolder(), 'data');
    const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
    const forge = await startForgeProcess(dataDir, { FORGE_ENCRYPTION_KEY: key(1) });
    await forge.call('POST', '/api/connectors/marketplace/github/install');
    await forge.call('PUT', '/api/connectors/github/settings', { values: { token: 'canary' } });
    forge.child.kill('SIGTERM');
    await forge.exited;

    const wrong = await startForgeProcess(dataDir, { FORGE_ENCRYPTION_KEY: key(2) });
    expect(await (await wrong.call('GET', '/api/health')).json()).toMatchObject({ status: 'degraded' });
    const refused = await wrong.call('PUT', '/api/connectors/github/settings', { values: { token: 'other' } });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ error: { code: 'secrets_unreadable' } });
    expect((await wrong.call('GET', '/api/tools')).status).toBe(200);
    wrong.child.kill('SIGTERM');
    await wrong.exited;

    const again = await startForgeProcess(dataDir, { FORGE_ENCRYPTION_KEY: key(1) });
    expect(await (await again.call('GET', '/api/connectors/github/settings')).json()).toMatchObject({
      values: { token: { $secret: true } },
    });
    expect(await (await again.call('GET', '/api/health')).json()).toMatchObject({ status: 'ok' });
  });
});
