import { describe, expect, it } from 'vitest';
import { ForgeError, type ErrorCode } from '../../shared/errors.ts';
import type { JsonValue } from '../../shared/json.ts';
import { bridgeWorld } from '../bridge/testing/bridge-world.ts';
import type { FakeExtension } from '../bridge/testing/fake-extension.ts';
import { runParams } from '../bridge/testing/run-params.ts';
import { lightWorld } from './testing/light-world.ts';
import { pass, watchWorld } from './testing/watch-world.ts';

const BLOCK = `{ poll: look, poll_args: { id: '{result.id}' }, done_path: done, max_polls: 15, timeout_sec: 3600 }`;

async function world(code: ErrorCode) {
  const other = { isAway: true, isDone: true };
  const light = await lightWorld(BLOCK, {
    call: () => (other.isAway ? new ForgeError(code, 'it is away') : { done: other.isDone }),
  });
  const id = light.begin({ id: 'j1' }, {}, { sessionId: 'sess_a' });
  return Object.assign(light, { other, id, shown: () => light.watches().get(id) });
}

describe('a watch whose other side is away', () => {
  const table: [string, ErrorCode, number][] = [
    ['the login has expired', 'login_required', 1],
    ['the browser is closed', 'extension_missing', 1],
    ['the browser is paused', 'browser_paused', 1],
    ['the connector is switched off', 'connector_disabled', 1],
    ['the host is down, which a reboot is part of', 'upstream_unreachable', 3],
  ];
  it.each(table)('C-135 %s: it parks, tells the person once, and goes on', async (_title, code, tellAfter) => {
    const { pass, shown, restart, other } = await world(code);
    await pass(60);
    expect(shown().watch).toMatchObject({ state: 'parked', reason: { code, message: 'it is away' }, errorCount: 0 });
    await pass(60 * (tellAfter - 1) - 1);
    expect(shown().reports).toHaveLength(tellAfter === 1 ? 1 : 0);
    await pass(600);
    expect(shown().reports).toMatchObject([{ kind: 'parked', reason: { code }, sessionId: 'sess_a' }]);
    expect(shown().reports[0]?.text).toMatch(/^Jobs: start waits: it is away\..* until 2026-01-01 01:00 UTC\.$/);
    await restart();
    await pass(60);
    expect(shown().reports).toHaveLength(1);
    other.isAway = false;
    await pass(60);
    expect(shown().watch).toMatchObject({ state: 'done', reason: { code: 'done' } });
    expect(shown().reports.map(({ kind }) => kind)).toEqual(['parked', 'done']);
  });

  it('C-135 an outage after an outage is told once, too', async () => {
    const light = await world('login_required');
    light.other.isDone = false;
    for (let outage = 1; outage <= 3; outage += 1) {
      light.other.isAway = true;
      await light.pass(120);
      expect(light.shown().reports).toHaveLength(outage);
      light.other.isAway = false;
      await light.pass(60);
      expect(light.shown().watch).toMatchObject({ state: 'polling', reason: null });
    }
  });

  const answers: [string, unknown, string, string, number][] = [
    ['401', 401, 'login_required', 'save a valid token', 1],
    ['a redirect to a login page', new URL('https://sso.test/login?next=x'), 'login_required', 'save a valid token', 1],
    ['502', 502, 'upstream_error', 'that the service is up', 3],
    ['503', 503, 'upstream_error', 'that the service is up', 3],
    ['504', 504, 'upstream_error', 'that the service is up', 3],
  ];
  it.each(answers)('C-135 a service that answers with %s is away', async (_title, answer, code, hint, tellAfter) => {
    const { service, start, pass, watch } = await watchWorld(BLOCK);
    service.answer = () => answer;
    const { watch_id } = await start();
    await pass(60 * tellAfter - 1);
    expect((await watch(watch_id)).reports).toEqual([]);
    await pass(301);
    const parked = await watch(watch_id);
    expect(parked).toMatchObject({ state: 'parked', reason: { code }, error_count: 0 });
    expect(parked.reports).toMatchObject([{ kind: 'parked', text: expect.stringContaining(hint) }]);
    service.answer = () => ({ done: true });
    await pass(60);
    expect(await watch(watch_id)).toMatchObject({ state: 'done' });
  });

  it.each([
    ['500', 500, 'upstream_error'],
    ['404', 404, 'upstream_error'],
    ['a redirect somewhere else', new URL('https://new.test/jobs/j1'), 'redirect_refused'],
  ])('a service that answers with %s is there, and its poll has failed', async (_title, answer, code) => {
    const { service, start, pass, watch } = await watchWorld(BLOCK);
    service.answer = () => answer;
    const { watch_id } = await start();
    await pass(60);
    expect(await watch(watch_id)).toMatchObject({ state: 'polling', polls: [{ outcome: 'error', code }] });
  });

  it('goes on when it is back, with everything told in order', async () => {
    const light = await world('login_required');
    const heard: string[] = [];
    light.events.listen(({ event }) => heard.push(event.type));
    await light.pass(180);
    light.other.isAway = false;
    await light.pass(60);
    expect(light.shown().watch.state).toBe('done');
    expect(light.shown().polls.map(({ outcome }) => outcome)).toEqual(['done', 'away', 'away', 'away']);
    expect(heard).toEqual(['watch.parked', 'report.added', 'watch.resumed', 'report.added', 'watch.ended']);
  });

  it('a person who has logged in need not wait for the next poll', async () => {
    const light = await world('login_required');
    await light.pass(61);
    light.other.isAway = false;
    light.watches().retry(light.id);
    await light.pass(0);
    expect(light.shown().watch).toMatchObject({ state: 'done', run: 1 });
  });

  it('C-130 what was asked counts as a poll, also when nobody was there', async () => {
    const light = await world('upstream_unreachable');
    await light.pass(3600);
    expect(light.shown().watch).toMatchObject({ state: 'failed', pollCount: 15, reason: { code: 'max_polls' } });
    expect(light.shown().watch.reason?.message).toContain('it is away');
  });

  it('C-129 what could not be asked does not, and then the timeout ends it', async () => {
    const light = await world('extension_missing');
    await light.pass(3599);
    expect(light.shown().watch).toMatchObject({ state: 'parked', pollCount: 0 });
    await light.pass(1);
    expect(light.shown().watch).toMatchObject({ state: 'failed', reason: { code: 'timeout' } });
    expect(light.shown().reports.map(({ kind }) => kind)).toEqual(['parked', 'failed']);
  });
});

it('C-135 a browser that is closed and opened again: what it has to look at waits for it', async () => {
  const { clock, router, pair, reconnect } = await bridgeWorld();
  const paired = await pair();
  let browser: FakeExtension | null = paired.extension;
  const light = await lightWorld(BLOCK, {
    clock,
    call: async ({ signal = new AbortController().signal }) => {
      try {
        const { body } = await router.request('connector.run', runParams(), { connector: 'jobs', signal });
        return JSON.parse(body ?? 'null') as JsonValue; // what the browser below returns
      } catch (error) {
        if (error instanceof ForgeError) return error;
        throw error;
      }
    },
  });
  // A browser has dealt with a ping when it has dealt with what it was sent after it.
  const wait = (sec: number) =>
    pass(
      clock,
      async () => {
        for (let round = 0; round < 2; round += 1) await browser?.settled();
        await light.watches().settled();
      },
      sec,
    );
  const id = light.begin();
  browser.onRequest = (asked) => asked.returns({ done: false });
  await wait(60);
  expect(light.watches().get(id).watch).toMatchObject({ state: 'polling', pollCount: 1 });

  browser = null;
  await paired.extension.cut();
  // The socket's timer goes with it, and the watch's own is left.
  await expect.poll(() => clock.pending()).toBe(1);
  await wait(180);
  expect(light.watches().get(id)).toMatchObject({
    watch: { state: 'parked', reason: { code: 'extension_missing' }, pollCount: 1 },
    reports: [{ kind: 'parked', text: expect.stringContaining('is connected') }],
  });

  browser = await reconnect(paired);
  browser.onRequest = (asked) => asked.returns({ done: true });
  await wait(60);
  const { watch, reports } = light.watches().get(id);
  expect(watch).toMatchObject({ state: 'done', pollCount: 2 });
  expect(reports.map(({ kind }) => kind)).toEqual(['parked', 'done']);
});
