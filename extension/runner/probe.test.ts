import { describe, expect, it } from 'vitest';
import type { Probe } from '../../shared/bridge.ts';
import { ForgeError } from '../../shared/errors.ts';
import { runProbe } from './probe.ts';
import { SITE, TAB, failure, setUp } from './testing/call-world.ts';

describe('C-108…C-111 a probe', () => {
  const PROBE: Probe = {
    pluginId: 'jira',
    host_match: `${SITE}/*`,
    login_redirect: '/login.jsp',
    runner: 'main',
    timeout_ms: 1000,
  };

  it('says where the person is logged in, and runs nothing', async () => {
    const { clock, control, stages, log } = setUp();
    const answer = runProbe({ ...PROBE, timeout_ms: 5000 }, control, stages);
    await clock.advance(1000);
    expect(await answer).toEqual({ ok: true, url: TAB.url });
    expect(log).toEqual([`permission ${SITE}/*`, 'acquire', 'release']);
  });

  it('W-14 tells a login page by address and by element', async () => {
    const byUrl = setUp({}, `${SITE}/login.jsp`);
    const loggedOut = { ok: false, error: 'login required' };
    expect(await runProbe(PROBE, byUrl.control, byUrl.stages)).toEqual({ ...loggedOut, url: `${SITE}/login.jsp` });
    const bySelector = setUp({ hasSelector: (_, selector) => Promise.resolve(selector === '#in') });
    const probe = { ...PROBE, auth_required_selector: '#in' };
    expect(await runProbe(probe, bySelector.control, bySelector.stages)).toEqual({ ...loggedOut, url: TAB.url });
  });

  it('C-108 loads the page again, because an open one does not show that its session is over', async () => {
    const { control, stages } = setUp({}, `${SITE}/login.jsp`);
    const wanted: unknown[] = [];
    const { acquire } = stages.tabs;
    stages.tabs.acquire = (...args) => {
      wanted.push(args[0]);
      return acquire(...args);
    };
    await runProbe(PROBE, control, stages);
    expect(wanted).toEqual([expect.objectContaining({ isFresh: true, url: null })]);
  });

  it('C-108 waits for an application that goes to its login page after it has loaded', async () => {
    let url = TAB.url;
    const { clock, control, stages } = setUp({ urlOf: () => url });
    const answer = runProbe({ ...PROBE, timeout_ms: 5000 }, control, stages);
    await clock.advance(600);
    url = `${SITE}/login.jsp`;
    await clock.advance(400);
    expect(await answer).toEqual({ ok: false, error: 'login required', url });
  });

  it.each([
    ['appears', 2000, { ok: true, url: TAB.url }],
    ['does not', 5000, { ok: false, error: 'login required', url: TAB.url }],
  ])('takes a page for logged in when the sign of it %s', async (_, ms, expected) => {
    let isDrawn = false;
    const { clock, control, stages } = setUp({
      hasSelector: (_tab, selector) => Promise.resolve(isDrawn && selector === '#me'),
    });
    clock.after(1900, () => (isDrawn = ms === 2000));
    const answer = runProbe({ ...PROBE, logged_in_selector: '#me', timeout_ms: 9000 }, control, stages);
    await clock.advance(ms);
    expect(await answer).toEqual(expected);
  });

  it('other failures are told in words, those of the bridge are errors', async () => {
    const denied = new ForgeError('permission_missing', 'Not allowed.', { hint: 'Allow it.' });
    const { control, stages } = setUp({ checkPermission: () => Promise.reject(denied) });
    expect(await runProbe(PROBE, control, stages)).toEqual({ ok: false, error: 'Not allowed. Allow it.' });
    const paused = setUp({ checkPermission: () => Promise.reject(new ForgeError('browser_paused', 'Paused.')) });
    expect(await failure(runProbe(PROBE, paused.control, paused.stages))).toMatchObject({ code: 'browser_paused' });
  });
});
