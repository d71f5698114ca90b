import { describe, expect, it } from 'vitest';
import { appliance } from '../../../runners/ssh/testing/appliance.ts';
import { cliWorld } from '../../testing/cli-world.ts';

const KEY = { type: 'ssh-ed25519', blob: 'AAAA', fingerprint: 'SHA256:abcdef' };

it('W-11 a call shows where it went and what was typed there, before and after', async () => {
  const { port } = await appliance({ password: 'p4ssword', exec: (_command, terminal) => {
    terminal.print('up 3 days\r\n');
    terminal.exit(0);
  } }); // prettier-ignore
  const { run, write, runArgs } = cliWorld();
  const yaml = `id: box\nname: Box\nversion: "1.0.0"\ndescription: A box for tests of terminals.\nsettings: { host: { default: 127.0.0.1 }, username: { default: ana }, password: { type: secret }, port: {} }\ntools: { up: { protocol: ssh, description: How long., ssh: { commands: [uptime], capture: { days: '(\\d+) days' } } } }\n`;
  expect((await run(`connector install ${write('manifest.yaml', yaml)}`)).code).toBe(0);
  const settings = ['--set', `port=${port}`, '--set', 'host=127.0.0.1', '--secret', 'password'];
  expect((await runArgs(['connector', 'settings', 'box', ...settings], { stdin: 'p4ssword\n' })).code).toBe(0);
  expect((await run('call box.up --dry-run')).stdout).toContain(`ssh ana@127.0.0.1:${port}\n  uptime\n`);
  expect((await run('call box.up')).stdout).toContain('up 3 days');
  const [{ id }] = JSON.parse((await run('calls list --json')).stdout);
  const { stdout } = await run(`calls show ${String(id)}`);
  expect(stdout).toMatch(/ssh ana@127\.0\.0\.1:\d+\n {2}uptime\n[\s\S]*up 3 days\ndays 3/);
});

describe('forge ssh known-hosts', () => {
  it('lists the keys of hosts and forgets them', async () => {
    const cli = cliWorld();
    const { run } = cli;
    expect((await run('ssh known-hosts')).stdout).toContain('No host is known yet.');
    const { services } = await cli.startServer();
    services.knownHosts.remember({ host: 'nas.test', port: 22, via: '' }, KEY);
    services.knownHosts.remember({ host: '10.0.0.7', port: 2222, via: 'jump.test:22' }, KEY);
    const { stdout } = await run('ssh known-hosts');
    expect(stdout).toMatch(/^nas\.test:22 +ssh-ed25519 +SHA256:abcdef/m);
    expect(stdout).toMatch(/^10\.0\.0\.7:2222 via jump\.test:22 +ssh-ed25519/m);
    expect(JSON.parse((await run('ssh known-hosts list --json')).stdout).hosts).toHaveLength(2);
    expect(await run('ssh known-hosts forget NAS.test')).toMatchObject({
      code: 0,
      stdout: '1 key of NAS.test forgotten\n',
    });
    expect(await run('ssh known-hosts forget 10.0.0.7:2222')).toMatchObject({ code: 0 });
    const { code, stderr } = await run('ssh known-hosts forget nas.test');
    expect([code, stderr]).toEqual([1, expect.stringContaining('no key of "nas.test" is known')]);
  });
});
