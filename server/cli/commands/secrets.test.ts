import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyringOf, newKey, serialiseKeyring } from '../../secrets/keyring.ts';
import { manifest } from '../../testing/forge.ts';
import { cliWorld } from '../testing/cli-world.ts';

async function worldWithSecret(env: Record<string, string> = {}) {
  const world = cliWorld(env);
  await world.run(`connector install ${world.write('demo.yaml', manifest())}`);
  expect((await world.run('connector settings demo --secret token', { stdin: 'abc-secret' })).code).toBe(0);
  return world;
}

const keyIn = (text: string) => /^([0-9a-f]{16}) +(\d+) +(\w+)$/m.exec(text)?.slice(1);

describe('forge secrets', () => {
  it('has a key before there is a secret, because it seals the key of the call log', async () => {
    const world = cliWorld();
    const before = await world.run('secrets status');
    expect(keyIn(before.stdout)?.slice(1)).toEqual(['0', 'current']);
    expect((await world.run('secrets rotate')).code).toBe(0);
    const after = await world.run('secrets status');
    expect(keyIn(after.stdout)?.slice(1)).toEqual(['0', 'current']);
    expect(keyIn(after.stdout)?.[0]).not.toBe(keyIn(before.stdout)?.[0]);
  });

  it.each([false, true])('shows the key and what it seals, and rotates it (server running: %s)', async (isRunning) => {
    const world = await worldWithSecret();
    if (isRunning) await world.startServer();
    const before = await world.run('secrets status');
    expect(before.stdout).toContain(`key    the key file ${path.join(world.dataDir, 'key')}`);
    const [oldKey] = keyIn(before.stdout) ?? [];
    expect(keyIn(before.stdout)).toEqual([oldKey, '1', 'current']);
    const rotated = await world.run('secrets rotate');
    expect([rotated.code, rotated.stdout]).toEqual([0, expect.stringMatching(/1 secret sealed with key [0-9a-f]{16}/)]);
    const after = JSON.parse((await world.run('secrets status --json')).stdout) as { keyId: string };
    expect(after).toMatchObject({ state: 'ready', store: 'file', keys: [{ current: true, sealedCount: 1 }] });
    expect(after.keyId).not.toBe(oldKey);
  });

  it('ends with 1 and the reason when secrets cannot be read', async () => {
    const world = await worldWithSecret();
    writeFileSync(path.join(world.dataDir, 'key'), serialiseKeyring(keyringOf(newKey())));
    const { code, stdout } = await world.run('secrets status');
    expect(code).toBe(1);
    expect(stdout).toContain('SECRETS CANNOT BE READ');
    expect(stdout).toMatch(/^why +the key this data dir was sealed with/m);
    expect(stdout).toMatch(/^fix +Put the key file back.*Nothing has been overwritten\.$/m);
    expect((await world.run('secrets rotate')).code).toBe(1);
  });

  it('names the keys that can leave FORGE_ENCRYPTION_KEY after a rotation', async () => {
    const [one, two] = [newKey(), newKey()];
    const world = await worldWithSecret({ FORGE_ENCRYPTION_KEY: one.bytes.toString('base64') });
    const alone = await world.run('secrets rotate');
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('put a new key first')]);
    const env = { FORGE_ENCRYPTION_KEY: `${two.bytes.toString('base64')},${one.bytes.toString('base64')}` };
    expect((await world.run('secrets rotate', { env })).stdout).toContain(`No secret needs ${one.id} any more`);
  });
});
