import { describe, expect, it } from 'vitest';
import { ForgeError, type ErrorCode } from '../../shared/errors.ts';
import { lightWorld } from './testing/light-world.ts';
import { watchWorld } from './testing/watch-world.ts';

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
