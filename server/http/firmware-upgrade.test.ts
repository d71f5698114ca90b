import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../bridge/testing/manual-clock.ts';
import { PROJECT_ROOT } from '../config.ts';
import { appliance, newHostKey, type Terminal } from '../runners/ssh/testing/appliance.ts';
import { testForge } from '../testing/forge.ts';
import { callApproved } from '../tools/testing/call-approved.ts';
import { pass } from '../watches/testing/watch-world.ts';

const MANIFEST = readFileSync(path.join(PROJECT_ROOT, 'shared/manifest/fixtures/firmware-upgrade.yaml'), 'utf8');
const PASSWORD = 'cnry-firewall-password-1';

/** A firewall that says its build, and takes another one after asking. */
function firewall(build: string) {
  return async (terminal: Terminal): Promise<void> => {
    for (;;) {
      terminal.print('\r\nFW-1 # ');
      const line = await terminal.readLine();
      if (line === 'get system status') terminal.print(`Version: FW-100 v7.2.1,build${build},220331 (GA)\r\n`);
      else if (line === 'execute restore image tftp FW-7.2.2.out 10.0.0.9') {
        terminal.print('This operation will replace the current firmware version!\r\nDo you want to continue? (y/n)');
        if ((await terminal.readLine()) !== 'y') continue;
        terminal.print('\r\nImage build 1262 is good. The system will reboot.\r\n');
        terminal.drop();
        return;
      } else terminal.print('Command fail. Return code -61\r\n');
    }
  };
}

async function world() {
  const clock = manualClock();
  const forge = await testForge({}, undefined, { clock, announce: true });
  const installed = await forge.request('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  // The document shows both ways to be done; the linter only asks whether both are meant.
  const message = 'beside `done_path` either of the two ends the watch; one is usually meant';
  expect(installed.body).toMatchObject({ ok: true, warnings: [{ message }] });
  const hostKey = newHostKey();
  const device = await appliance({ password: PASSWORD, hostKey, shell: firewall('1254') });
  const values = { username: 'admin', password: PASSWORD, port: device.port };
  await forge.request('PUT', '/api/connectors/firewall/settings', { values });
  const progress: unknown[] = [];
  forge.services.events.listen(({ event }) => event.type === 'watch.progress' && progress.push(event.text));
  const session_id = forge.services.chat.create({}).id;
  const upgrade = (image: string) =>
    callApproved(forge, 'firewall.upgrade', { host: '127.0.0.1', image }, { session_id });
  return {
    forge,
    session_id,
    device,
    upgrade,
    progress,
    pass: (sec: number) => pass(clock, () => forge.services.watches.settled(), sec),
    watch: async (id: string) => (await forge.request('GET', `/api/watches/${id}`)).body,
    restartWith: (build: string, key = hostKey) =>
      appliance({ password: PASSWORD, hostKey: key, shell: firewall(build) }, device.port),
  };
}

describe('C-123 C-126 C-139 K-17 the firmware upgrade of the document', () => {
  it('returns when the firewall goes down, waits until it is back, and reports the build it came back with', async () => {
    const { device, upgrade, progress, pass: wait, watch, restartWith, session_id } = await world();
    const { body } = await upgrade('FW-7.2.2.out');
    expect(body).toMatchObject({ ok: true, result: { ok: true, captured: { target_build: '1262' } } });
    expect(device.typed).toEqual(['execute restore image tftp FW-7.2.2.out 10.0.0.9', 'y']);
    await device.stop();
    await wait(120);
    expect(await watch(body.watch_id)).toMatchObject({ reports: [] });
    const old = await restartWith('1254');
    await wait(60);
    expect(await watch(body.watch_id)).toMatchObject({ state: 'polling', reports: [] });
    expect(old.typed).toEqual(['get system status']);
    await old.stop();
    await restartWith('1262');
    await wait(60);
    expect(await watch(body.watch_id)).toMatchObject({
      state: 'done',
      poll_args: { host: '127.0.0.1' },
      poll_count: 4,
      reports: [{ kind: 'done', session_id, text: 'Done — build 1262.' }],
    });
    expect(progress).toEqual(['Working… 3/15']);
  });

  it('C-129 C-130 C-131 C-133 a firewall that stays on its old build is not confirmed', async () => {
    const { device, upgrade, progress, pass: wait, watch, restartWith } = await world();
    const { body } = await upgrade('FW-7.2.2.out');
    await device.stop();
    await restartWith('1254');
    await wait(3600);
    const ended = await watch(body.watch_id);
    expect(ended).toMatchObject({ state: 'failed', poll_count: 15, reason: { code: 'max_polls' } });
    expect(ended.reports.map(({ text }: { text: string }) => text)).toEqual(['Not confirmed — check manually.']);
    expect(progress).toEqual(Array.from({ length: 15 }, (_, poll) => `Working… ${poll + 1}/15`));
  });

  it('a firewall that refuses the image leaves no watch behind', async () => {
    const { forge, upgrade } = await world();
    const { body } = await upgrade('FW-1.out');
    expect(body).toMatchObject({
      ok: false,
      error: { code: 'ssh_fail_matched', message: expect.stringContaining('Command fail. Return code -61') },
    });
    expect((await forge.request('GET', '/api/watches')).body.watches).toEqual([]);
  });

  it('K-16 a firewall that comes back with another key is not told the password, and its owner is told why', async () => {
    const { device, upgrade, pass: wait, watch, restartWith } = await world();
    const { body } = await upgrade('FW-7.2.2.out');
    await device.stop();
    const stranger = await restartWith('1262', newHostKey());
    await wait(60);
    expect(stranger.logins).toEqual([]);
    expect(await watch(body.watch_id)).toMatchObject({
      state: 'parked',
      reports: [{ kind: 'parked', text: expect.stringContaining('known-hosts forget') }],
    });
  });
});
