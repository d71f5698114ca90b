import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliWorld } from '../testing/cli-world.ts';

describe('forge token', () => {
  it('K-30 explains without printing the token, and makes nothing', async () => {
    const world = cliWorld();
    const before = await world.run('token');
    expect([before.code, before.stdout]).toEqual([0, expect.stringContaining('There is no token yet')]);
    expect(existsSync(world.dataDir)).toBe(false);
    const token = (await world.run('token --print')).stdout.trim();
    const after = await world.run('token');
    expect(after.stdout).toContain(`There is a token, in ${path.join(world.dataDir, 'token')}.`);
    expect(after.stdout).not.toContain(token);
  });

  it('K-30 prints the same token each time; it is kept for its owner alone', async () => {
    const world = cliWorld();
    const first = (await world.run('token --print')).stdout;
    expect(first).toMatch(/^[\w-]{43}\n$/);
    expect((await world.run('token --print')).stdout).toBe(first);
    expect(statSync(path.join(world.dataDir, 'token')).mode & 0o777).toBe(0o600);
  });

  it('K-30 replaces the token of a running server at once', async () => {
    const world = cliWorld();
    const forge = await world.startServer();
    const old = forge.services.access.token();
    const { code, stdout } = await world.run('token --rotate --print --link');
    const [token, link] = stdout.trim().split('\n');
    expect(code).toBe(0);
    expect(token).not.toBe(old);
    expect(link).toMatch(new RegExp(`^${forge.url}/#code=[\\w-]{32}$`));
    expect(link).not.toContain(token);
    const ask = async (given: string) =>
      (await fetch(`${forge.url}/api/tools`, { headers: { 'X-Forge-Token': given } })).status;
    expect([await ask(old), await ask(token ?? '')]).toEqual([401, 200]);
  });

  it('replaces it without a server, and does not print it unasked', async () => {
    const world = cliWorld();
    const old = (await world.run('token --print')).stdout;
    const rotated = await world.run('token --rotate');
    const now = (await world.run('token --print')).stdout;
    expect(now).not.toBe(old);
    expect(rotated.stdout + rotated.stderr).not.toContain(now.trim());
  });

  it('has no link when nothing runs', async () => {
    const { code, stderr } = await cliWorld().run('token --link');
    expect([code, stderr]).toEqual([1, expect.stringContaining('npm start')]);
  });
});
