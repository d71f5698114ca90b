import { expect, it } from 'vitest';
import { lintManifest } from '../../shared/manifest/lint.ts';
import { manualClock } from '../bridge/testing/manual-clock.ts';
import { testForge } from '../testing/forge.ts';
import { json, upstream } from '../testing/upstream.ts';
import { pass } from './testing/watch-world.ts';

// The block stands in the guide to connectors as it stands here; only how the upgrade is started differs.
const MANIFEST = `id: appliance
name: Appliance
version: "0.1.0"
description: Upgrades the firmware of an appliance and says when it is done.
settings: { base_url: { required: true } }
tools:
  upgrade:
    protocol: http
    description: Upgrade the firmware.
    parameters: { host: { required: true } }
    request: { method: POST, url: '{base_url}/upgrade', query: { host: '{args.host}' } }
    async:
      poll: get_version              # another tool in THIS connector to poll
      poll_args:                     # built once from the trigger's args/result
        host: "{args.host}"          # {args.*}=trigger input, {result.*}=trigger return
      # completion test — one of:
      done_path: done                #   (a) poll-result path is truthy
      done_match:                    #   (b) value compare
        path: captured.build
        equals: "{result.captured.target_build}"
      fail_path: error               # optional: truthy = failed
      interval_sec: 60               # poll cadence (min 30)
      timeout_sec: 900               # overall deadline
      max_polls: 15                  # hard cap
      on_done: { mode: chat, message: "Done — build {poll.captured.build}." }
      on_fail: { mode: chat, message: "Not confirmed — check manually." }
      progress: { show: true, message: "Working… {poll_count}/{max_polls}" }
  get_version:
    protocol: http
    description: Which build runs.
    parameters: { host: { required: true } }
    request: { url: '{base_url}/version', query: { host: '{args.host}' } }
`;

/** An appliance that is away for some polls, and then back with another build or the old one. */
async function world(build: (poll: number) => string | null) {
  let polls = 0;
  const appliance = await upstream((seen, response) => {
    if (seen.method === 'POST') json({ ok: true, captured: { target_build: '1234' } })(seen, response);
    else {
      polls += 1;
      const now = build(polls);
      if (now === null) response.destroy();
      else json({ ok: true, captured: { build: now } })(seen, response);
    }
  });
  const clock = manualClock();
  const forge = await testForge({}, undefined, { clock, announce: true });
  await forge.request('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  await forge.request('PUT', '/api/connectors/appliance/settings', { values: { base_url: appliance.url } });
  const { body } = await forge.request('POST', '/api/tools/appliance.upgrade/call', { args: { host: 'fw-1' } });
  const progress: unknown[] = [];
  forge.services.events.listen(({ event }) => event.type === 'watch.progress' && progress.push(event.text));
  await pass(clock, () => forge.services.watches.settled(), 3600);
  const watch = (await forge.request('GET', `/api/watches/${String(body.watch_id)}`)).body;
  return { watch, progress, seen: appliance.seen };
}

it('C-123 C-126 the firmware example is sound', () => {
  const { diagnostics } = lintManifest(MANIFEST, { forgeVersion: '1.0.0' });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
});

it('C-123 C-126 C-133 reports the new build after the reboot, in one message', async () => {
  const { watch, progress, seen } = await world((poll) => (poll === 1 ? '1200' : poll < 4 ? null : '1234'));
  expect(watch).toMatchObject({ state: 'done', poll_args: { host: 'fw-1' }, poll_count: 4 });
  expect(watch.reports.map(({ text }: { text: string }) => text)).toEqual(['Done — build 1234.']);
  expect(progress).toEqual(['Working… 1/15']);
  expect(seen.at(-1)?.url).toBe('/version?host=fw-1');
});

it('C-129 C-130 C-131 an appliance that stays on its old build is not confirmed', async () => {
  const { watch } = await world(() => '1200');
  expect(watch).toMatchObject({ state: 'failed', poll_count: 15, reason: { code: 'max_polls' } });
  expect(watch.reports.map(({ text }: { text: string }) => text)).toEqual(['Not confirmed — check manually.']);
});
