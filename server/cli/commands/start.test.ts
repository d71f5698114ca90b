import type { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manifest } from '../../testing/forge.ts';
import { FORGE_VERSION } from '../../version.ts';
import { cliWorld } from '../testing/cli-world.ts';

const stopWhenUp = {
  onOutput: (all: string, signals: EventEmitter) => {
    if (all.endsWith('to stop.\n')) signals.emit('SIGINT');
  },
};

describe('forge start', () => {
  it('K-30 prints where it runs and the login link, and stops in order', async () => {
    const world = cliWorld();
    const { code, stdout } = await world.run('start', stopWhenUp);
    expect(code).toBe(0);
    expect(stdout).toContain(`Forge ${FORGE_VERSION}`);
    const url = /Forge is running at (http:\/\/127\.0\.0\.1:\d+)$/m.exec(stdout)?.[1] ?? '';
    const token = (await world.run('token --print')).stdout.trim();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(stdout).toMatch(new RegExp(`Log in: +${url}/#code=[\\w-]{32}$`, 'm'));
    expect(stdout).not.toContain(token);
    expect(stdout).toContain(world.dataDir);
    expect(stdout).toContain(`the key file ${path.join(world.dataDir, 'key')}`);
    expect(stdout).toContain('no connector installed yet: try `forge connector install github`');
    expect(stdout).toContain('Press Ctrl-C to stop');
    await expect(fetch(url)).rejects.toThrow();
    expect(existsSync(path.join(world.dataDir, 'server.json'))).toBe(false);
  });

  it('lists the installed connectors with their state', async () => {
    const world = cliWorld();
    await world.run(`connector install ${world.write('demo.yaml', manifest())}`);
    const { stdout } = await world.run('start', stopWhenUp);
    expect(stdout).toContain('  Demo 0.1.0: needs settings (Base URL is required)');
  });

  it('is found by other commands while it runs', async () => {
    const world = cliWorld();
    const during: Promise<unknown>[] = [];
    const { code } = await world.run('start', {
      onOutput: (all, signals) => {
        if (!all.endsWith('to stop.\n')) return;
        const link = world.run('token --link');
        during.push(link);
        void link.then(() => signals.emit('SIGTERM'));
      },
    });
    expect(code).toBe(0);
    expect(await during[0]).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{32}\n$/),
    });
  });

  it('refuses a second one on the same data dir, and names the first', async () => {
    const world = cliWorld();
    const forge = await world.startServer();
    const { code, stderr } = await world.run('start');
    expect(code).toBe(1);
    expect(stderr).toContain(`Forge already runs on ${world.dataDir}, at ${forge.url}`);
    const linked = new RegExp(`Open ${forge.url}/#code=([\\w-]{32})`).exec(stderr)?.[1] ?? '';
    expect([forge.services.loginCodes.use(linked), forge.services.loginCodes.use(linked)]).toEqual([true, false]);
  });

  it('ends at once at the second signal', async () => {
    const { code, exits } = await cliWorld().run('start', {
      onOutput: (all, signals) => {
        if (all.endsWith('to stop.\n')) signals.emit('SIGINT');
        if (all.endsWith('Stopping …\n')) signals.emit('SIGINT');
      },
    });
    expect([code, exits]).toEqual([0, [1]]);
  });

  it('ends with its parent under npm, which tells the shell between them only', async () => {
    let parent = 100;
    const { code, stdout } = await cliWorld().run('start', {
      parent: () => parent,
      onOutput: (all) => {
        if (all.endsWith('to stop.\n')) parent = 1;
      },
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining('Stopping …')]);
  });

  it('makes the extension after the page is up, says how far it is, and ends that work with Forge', async () => {
    let isClosed = false;
    const { code, stdout } = await cliWorld().run('start', {
      prepareExtension: (env, report) => {
        expect(env['FORGE_PORT']).toBe('0');
        report({ state: 'installing' });
        report({ state: 'building' });
        report({ state: 'failed', message: 'its packages could not be installed:\nnpm error ENOTFOUND' });
        return {
          close: () => {
            isClosed = true;
            return Promise.resolve();
          },
        };
      },
      onOutput: (all, signals) => {
        if (all.includes('build:extension')) signals.emit('SIGTERM');
      },
    });
    expect([code, isClosed]).toEqual([0, true]);
    expect(stdout.indexOf('Log in')).toBeLessThan(stdout.indexOf('Extension: installing'));
    const lines = stdout.split('\n').filter((line) => line.includes('Extension:'));
    expect(lines).toEqual([
      expect.stringContaining('installing'),
      expect.stringContaining('building'),
      expect.stringMatching(/its packages could not be installed\. Run `npm run build:extension`/),
    ]);
  });

  it('--no-extension leaves the extension alone', async () => {
    const { stdout } = await cliWorld().run('start --no-extension', {
      ...stopWhenUp,
      prepareExtension: () => {
        throw new Error('not asked for');
      },
    });
    expect(stdout).toContain('Stopping …');
  });

  it('tells that the port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await cliWorld().run(`start --port ${port}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`forge: port ${port} on 127.0.0.1 is taken`)]);
    expect(stderr).toContain('FORGE_PORT');
  });

  it.each(['abc', '-1', '65536', '1.5'])('refuses --port %s', async (port) => {
    expect(await cliWorld().run(`start --port=${port}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('from 0 to 65535'),
    });
  });

  it('tells what is wrong with the environment', async () => {
    const { code, stderr } = await cliWorld({ FORGE_PORT: 'http' }).run('start');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('forge: FORGE_PORT is "http"; it must be a whole number from 0 to 65535'),
    ]);
  });
});
