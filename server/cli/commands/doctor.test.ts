import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../config.ts';
import { keyringOf, newKey, serialiseKeyring } from '../../secrets/keyring.ts';
import { dataDirPaths } from '../../store/data-dir.ts';
import { acquireLock } from '../../store/lock.ts';
import { openSqlite } from '../../store/sqlite.ts';
import { manifest } from '../../testing/forge.ts';
import { FORGE_VERSION } from '../../version.ts';
import type { Check } from '../doctor/check.ts';
import { checkDiskSpace } from '../doctor/disk-space.ts';
import { checkNodeVersion } from '../doctor/node-version.ts';
import { checkServer } from '../doctor/server.ts';
import { cliWorld } from '../testing/cli-world.ts';

/** A data dir in use: one connector with its settings and a secret. */
async function livedIn() {
  const world = cliWorld();
  world.offer(manifest());
  await world.run('connector install demo');
  const saved = await world.run('connector settings demo --set base_url=https://x.test --secret token', {
    stdin: 'abc-secret',
  });
  expect(saved.code).toBe(0);
  return { ...world, in: (...names: string[]) => path.join(world.dataDir, ...names) };
}

async function diagnose(world: ReturnType<typeof cliWorld>, env: Record<string, string> = {}) {
  const { code, stdout } = await world.run('doctor --json', { env });
  const { checks, ok } = JSON.parse(stdout) as { ok: boolean; checks: Check[] };
  expect(ok).toBe(code === 0);
  const troubles = checks.filter((check) => check.status !== 'ok');
  return { code, checks, troubles, find: (name: string) => checks.find((check) => check.name === name) };
}

/** Every file with its content; SQLite's own companions come and go with each reader. */
function contentOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/-(shm|wal)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map((file) => `${file} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`);
}

describe('forge doctor', () => {
  it('is content before the first start, and makes nothing', async () => {
    const world = cliWorld();
    const { code, stdout } = await world.run('doctor');
    expect([code, stdout]).toEqual([0, expect.stringContaining('All is well.')]);
    expect(stdout).toMatch(/^✓ data dir +.* is not there yet; the first start makes it$/m);
    expect(existsSync(world.dataDir)).toBe(false);
  });

  it('is content with a data dir in use, and changes nothing in it', async () => {
    const world = await livedIn();
    const before = contentOf(world.dataDir);
    expect(before.length).toBeGreaterThan(3);
    const { troubles, find } = await diagnose(world);
    expect(troubles).toEqual([]);
    expect(find('connector demo')).toEqual({ name: 'connector demo', status: 'ok', message: '0.1.0' });
    expect(find('registry')?.message).toBe(`1 connector at ${world.registry}`);
    expect(contentOf(world.dataDir)).toEqual(before);
  });

  it('knows the server that runs', async () => {
    const world = await livedIn();
    const forge = await world.startServer();
    const { troubles, find } = await diagnose(world, { FORGE_PORT: new URL(forge.url).port });
    expect(troubles).toEqual([]);
    expect(find('server')?.message).toBe(`Forge ${FORGE_VERSION} runs at ${forge.url}`);
    expect(find('port')?.message).toMatch(/is used by this Forge$/);
  });

  it('prints what helps below what is wrong', async () => {
    const world = await livedIn();
    chmodSync(world.dataDir, 0o755);
    const { code, stdout } = await world.run('doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ data dir +.* is readable by others \(mode 755\)\n +→ Run: chmod 700 /m);
    expect(stdout).toMatch(/\n1 problem\n$/);
  });

  it.each<[string, (world: Awaited<ReturnType<typeof livedIn>>) => unknown, string, Partial<Check>]>([
    [
      'a token that others can read',
      (world) => chmodSync(world.in('token'), 0o644),
      'data dir',
      { status: 'fail', fix: expect.stringContaining('chmod 600') as string },
    ],
    [
      'a token that is none',
      (world) => writeFileSync(world.in('token'), 'short'),
      'token',
      { status: 'fail', fix: expect.stringContaining('Remove the file') as string },
    ],
    [
      'a damaged database',
      (world) => writeFileSync(world.in('forge.db'), 'x'.repeat(9000)),
      'database',
      { status: 'fail', fix: expect.stringContaining('--set-aside-database') as string },
    ],
    [
      'a database that lost its file but not its log',
      (world) => emptyButForLog(world.in('forge.db')),
      'database',
      { status: 'fail', message: expect.stringContaining('write-ahead log') as string },
    ],
    [
      'a database of a newer Forge',
      (world) => setFormat(world.in('forge.db'), 99),
      'database',
      { status: 'fail', fix: 'Update Forge.' },
    ],
    [
      'a lock that is no lock',
      (world) => writeFileSync(world.in('lock.db'), 'x'.repeat(9000)),
      'server',
      { status: 'fail', fix: expect.stringContaining('remove the file') as string },
    ],
    [
      'another key',
      (world) => writeFileSync(world.in('key'), serialiseKeyring(keyringOf(newKey()))),
      'key',
      { status: 'fail', message: expect.stringContaining('secrets cannot be read') as string },
    ],
    [
      'no key',
      (world) => rmSync(world.in('key')),
      'key',
      { status: 'fail', message: expect.stringContaining('sealed with') as string },
    ],
    [
      'a key file that is none',
      (world) => writeFileSync(world.in('key'), 'nonsense'),
      'key',
      { status: 'fail', message: expect.stringContaining('not JSON') as string },
    ],
    [
      'a broken manifest',
      (world) => writeFileSync(world.in('connectors', 'demo', 'manifest.yaml'), 'id: demo\n'),
      'connector demo',
      { status: 'fail', fix: expect.stringContaining('forge connector lint /') as string },
    ],
    [
      'a registry that is gone',
      (world) => rmSync(world.registry, { recursive: true }),
      'registry',
      { status: 'warn', message: expect.stringContaining('does not exist') as string },
    ],
    [
      'a registry that is none',
      (world) => writeFileSync(path.join(world.registry, 'registry.json'), '[]'),
      'registry',
      { status: 'warn', message: expect.stringContaining('is not a registry') as string },
    ],
  ])('finds %s', async (_title, damage, name, expected) => {
    const world = await livedIn();
    await damage(world);
    const { code, troubles } = await diagnose(world);
    expect(troubles).toMatchObject([{ name, ...expected }]);
    expect(code).toBe(expected.status === 'fail' ? 1 : 0);
  });

  it('warns about settings that are missing', async () => {
    const world = cliWorld();
    await world.run(`connector install ${world.write('demo.yaml', manifest())}`);
    const { code, troubles } = await diagnose(world);
    expect([code, troubles]).toEqual([
      0,
      [
        {
          name: 'connector demo',
          status: 'warn',
          message: 'Base URL is required',
          fix: 'forge connector settings demo',
        },
      ],
    ]);
  });

  it('finds a port that another program took', async () => {
    const other = createServer((_request, response) => response.end('hello'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const { code, troubles } = await diagnose(cliWorld(), { FORGE_PORT: String(port) });
    expect([code, troubles]).toMatchObject([
      1,
      [{ name: 'port', status: 'fail', message: `${port} is taken by another program` }],
    ]);
  });

  it('tells a Forge with another data dir from another program', async () => {
    const forge = await cliWorld().startServer();
    const { troubles } = await diagnose(cliWorld(), { FORGE_PORT: new URL(forge.url).port });
    expect(troubles).toMatchObject([{ name: 'port', message: expect.stringContaining('with another data dir') }]);
  });

  it('finds a process that holds the data dir and does not answer', async () => {
    const world = await livedIn();
    const lock = await acquireLock(world.in('lock.db'));
    onTestFinished(() => lock.release());
    expect((await diagnose(world)).troubles).toMatchObject([
      { name: 'server', status: 'fail', message: expect.stringContaining('does not answer') },
    ]);
  });

  it('finds a configuration that makes no sense', async () => {
    const { code, troubles } = await diagnose(cliWorld(), { FORGE_PORT: 'http' });
    expect([code, troubles]).toMatchObject([
      1,
      [{ name: 'configuration', status: 'fail', message: expect.stringContaining('FORGE_PORT is "http"') }],
    ]);
  });

  it('finds a Node that is too old, a full disk, and a server of another version', async () => {
    expect(checkNodeVersion({ nodeVersion: '18.20.0' })).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('20.19'),
    });
    const world = cliWorld();
    const config = readConfig(world.env);
    const patient = {
      config,
      paths: dataDirPaths(world.dataDir),
      server: { url: 'http://127.0.0.1:1', pid: 1, version: '0.9.0', problems: [] },
      nodeVersion: '22.0.0',
      damage: () => Promise.resolve(null),
    };
    expect(checkDiskSpace(patient, () => 5 * 1024 * 1024)).toMatchObject({ status: 'warn', message: 'only 5 MB free' });
    expect(await checkServer(patient)).toMatchObject({
      status: 'warn',
      message: expect.stringContaining(`0.9.0 runs at http://127.0.0.1:1, but ${FORGE_VERSION}`),
    });
  });
});

describe('forge doctor --set-aside-database', () => {
  it('moves a damaged database away and keeps it, so that Forge starts again', async () => {
    const world = await livedIn();
    writeFileSync(world.in('forge.db'), 'x'.repeat(9000));
    const refused = await world.run('connector list');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('forge doctor --set-aside-database')]);
    const { code, stdout } = await world.run('doctor --set-aside-database');
    expect(stdout).toMatch(/^The damaged database is now .*forge\.db\.damaged-\d{8}T\d{6}Z\./);
    expect(code).toBe(0);
    const kept = readdirSync(world.dataDir).find((name) => /damaged-\w+$/.test(name));
    expect(readFileSync(world.in(kept ?? ''), 'utf8')).toBe('x'.repeat(9000));
    expect((await world.run('connector list')).stdout).toContain('demo');
  });

  it.each<[string, (world: Awaited<ReturnType<typeof livedIn>>) => unknown, string]>([
    ['a sound database', () => undefined, 'is not damaged'],
    ['one of a newer Forge', (world) => setFormat(world.in('forge.db'), 99), 'is not damaged'],
    ['one that a server uses', (world) => world.startServer(), 'Stop it first'],
  ])('never touches %s', async (_title, prepare, message) => {
    const world = await livedIn();
    await prepare(world);
    const { code, stderr } = await world.run('doctor --set-aside-database');
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(readdirSync(world.dataDir).filter((name) => name.includes('damaged'))).toEqual([]);
  });

  it('never touches one while another process holds the data dir', async () => {
    const world = await livedIn();
    writeFileSync(world.in('forge.db'), 'x'.repeat(9000));
    const lock = await acquireLock(world.in('lock.db'));
    onTestFinished(() => lock.release());
    expect((await world.run('doctor --set-aside-database')).code).toBe(1);
    expect(readdirSync(world.dataDir).filter((name) => name.includes('damaged'))).toEqual([]);
  });
});

async function setFormat(file: string, format: number): Promise<void> {
  const db = await openSqlite(file);
  db.exec(`PRAGMA user_version = ${format}`);
  db.close();
}

function emptyButForLog(file: string): void {
  writeFileSync(file, '');
  writeFileSync(`${file}-wal`, 'log');
}
