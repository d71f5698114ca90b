import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../testing/forge.ts';
import { launchd } from './launchd.ts';
import type { Ran, ServiceJob, ServiceWorld } from './service.ts';
import { systemd } from './systemd.ts';
import { taskScheduler } from './task-scheduler.ts';

const JOB: ServiceJob = {
  argv: [process.execPath, '/opt/my forge/100%/forge.mjs', 'start'],
  environment: { FORGE_PORT: '9000', FORGE_DATA_DIR: '/home/ana/a "b" <c> & 50%' },
};

function world(answer: (line: string) => Partial<Ran> = () => ({})): ServiceWorld & { ran: string[] } {
  const ran: string[] = [];
  return {
    home: tempFolder(),
    uid: 501,
    ran,
    run: (command, args) => {
      const line = [command, ...args].join(' ');
      ran.push(line);
      return Promise.resolve({ code: 0, output: '', ...answer(line) });
    },
  };
}

describe('systemd', () => {
  it('writes a unit, starts it, reports it and removes it again', async () => {
    const here = world((line) => (line.includes('is-active') ? { output: 'active\n' } : {}));
    expect(await systemd.status(here)).toBe('not installed');
    await systemd.install(here, JOB);
    const unit = readFileSync(systemd.place(here), 'utf8');
    expect(unit).toContain(`ExecStart="${process.execPath}" "/opt/my forge/100%%/forge.mjs" "start"\n`);
    expect(unit).toContain('Environment="FORGE_DATA_DIR=/home/ana/a \\"b\\" <c> & 50%%"\n');
    expect(here.ran).toEqual(['systemctl --user daemon-reload', 'systemctl --user enable --now forge.service']);
    expect(await systemd.status(here)).toBe('installed, active');
    await systemd.remove(here);
    expect(existsSync(systemd.place(here))).toBe(false);
    expect(here.ran).toContain('systemctl --user disable --now forge.service');
  });

  it('says what systemctl said', async () => {
    const here = world((line) => (line.includes('enable') ? { code: 1, output: 'Failed to connect to bus\n' } : {}));
    await expect(systemd.install(here, JOB)).rejects.toMatchObject({
      message: expect.stringContaining('Failed to connect to bus'),
      hint: expect.stringMatching(/forge\.service is written, .*: systemctl --user enable --now forge\.service$/),
    });
  });

  const hasVerify = spawnSync('systemd-analyze', ['--version']).status === 0;
  it.skipIf(!hasVerify)('writes a unit that systemd understands', async () => {
    const here = world();
    await systemd.install(here, JOB);
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--user', systemd.place(here)], {
      encoding: 'utf8',
      env: { ...process.env, XDG_RUNTIME_DIR: here.home },
    });
    expect(`${stdout}${stderr}`).not.toMatch(/forge\.service/);
  });
});

describe('launchd', () => {
  it('writes an agent, loads it, reports it and removes it again', async () => {
    const here = world((line) => (line.includes('print') ? { output: '\tstate = running\n' } : {}));
    await launchd.install(here, JOB);
    const file = launchd.place(here);
    const plist = readFileSync(file, 'utf8');
    expect(plist).toContain('<string>/opt/my forge/100%/forge.mjs</string>');
    expect(plist).toContain('<key>FORGE_DATA_DIR</key><string>/home/ana/a "b" &lt;c&gt; &amp; 50%</string>');
    expect(here.ran).toEqual([`launchctl bootstrap gui/501 ${file}`]);
    expect(await launchd.status(here)).toBe('installed, running');
    await launchd.remove(here);
    expect([existsSync(file), here.ran.at(-1)]).toEqual([false, 'launchctl bootout gui/501/local.forge']);
  });
});

describe('Task Scheduler', () => {
  const job = { ...JOB, environment: { FORGE_DATA_DIR: 'C:\\Users\\Ana\\50%' } };

  it('writes a script, creates a task for it and deletes both again', async () => {
    const here = world();
    await taskScheduler.install(here, job);
    const file = taskScheduler.place(here);
    expect(readFileSync(file, 'utf8').split('\r\n')).toEqual([
      '@echo off',
      'set "FORGE_DATA_DIR=C:\\Users\\Ana\\50%%"',
      `"${process.execPath}" "/opt/my forge/100%%/forge.mjs" "start"`,
      '',
    ]);
    expect(here.ran[0]).toBe(`schtasks /Create /F /SC ONLOGON /RL LIMITED /TN Forge /TR "${file}"`);
    await taskScheduler.remove(here);
    expect([existsSync(file), here.ran.at(-1)]).toEqual([false, 'schtasks /Delete /F /TN Forge']);
  });

  it('refuses what its script cannot say', async () => {
    await expect(taskScheduler.install(world(), JOB)).rejects.toMatchObject({ code: 'invalid_config' });
  });
});

it.each([systemd, launchd, taskScheduler])('a line break cannot add an instruction', async (manager) => {
  const here = world();
  const job = { ...JOB, environment: { FORGE_LOG: 'warn\nExecStartPre=/bin/evil' } };
  await expect(manager.install(here, job)).rejects.toMatchObject({ code: 'invalid_config' });
  expect([here.ran, existsSync(manager.place(here))]).toEqual([[], false]);
});
