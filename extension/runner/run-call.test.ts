import { describe, expect, it } from 'vitest';
import type { Probe, Run } from '../../shared/bridge.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { TabInfo } from '../tabs/tab-mirror.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createControl } from './deadline.ts';
import { runCall, runProbe, type CallStages } from './run-call.ts';
import type { ScriptJob } from './run-together.ts';

const SITE = 'https://jira.acme.com';
const CALL: Run = {
  call_id: 'c1',
  connector: 'jira',
  tool: 'list',
  title: 'List issues',
  acquire: {
    host_match: `${SITE}/*`,
    login_redirect: '/login.jsp',
    login_selector: '#login',
    url: `${SITE}/issues/`,
    on_target: '/issues/',
    settle_ms: 0,
    tab_strategy: 'reuse',
  },
  runner: 'main',
  frame: null,
  script: 'return 1',
  args: '{}',
  settings: '{}',
  timeout_ms: 1000,
  max_result_bytes: 1000,
  approval: null,
};

const TAB = { id: 1, url: `${SITE}/issues/`, documentId: 'doc' } as TabInfo; // the parts a call reads

function setUp(changes: Partial<CallStages> = {}, url = TAB.url) {
  const clock = manualClock();
  const control = createControl(clock);
  const log: string[] = [];
  const jobs: ScriptJob[] = [];
  const stages: CallStages = {
    checkPermission: (origins) => {
      log.push(`permission ${origins.join()}`);
      return Promise.resolve();
    },
    checkWorld: () => Promise.resolve(),
    askPerson: () => {
      log.push('ask');
      return Promise.resolve();
    },
    tabs: {
      acquire: () => {
        log.push('acquire');
        return Promise.resolve({
          tab: { ...TAB, url },
          release: () => void log.push('release'),
          giveUp: () => {
            log.push('give up');
            return () => void log.push('over');
          },
        });
      },
    },
    findFrame: (tabId) => {
      log.push('frame');
      return Promise.resolve({ tabId, frameId: 7, documentId: 'inner', url: 'https://frame.example/x' });
    },
    hasSelector: () => Promise.resolve(false),
    runScript: (job) => {
      log.push('run');
      jobs.push(job);
      return Promise.resolve('[1]');
    },
    isQuick: () => false,
    now: clock.now,
    after: clock.after,
    ...changes,
  };
  return { clock, control, log, jobs, stages };
}

const failure = (promise: Promise<unknown>) => promise.then(() => null).catch((error: unknown) => error);

describe('a call', () => {
  it('goes through its stages in order and hands on the text', async () => {
    const { control, stages, log, jobs } = setUp();
    const approval = { reason: 'r', timeout_ms: 1 };
    const { result, body } = await runCall({ ...CALL, approval }, control, stages);
    expect(log).toEqual([`permission ${SITE}/*`, 'ask', 'acquire', 'run', 'release']);
    expect(body).toBe('[1]');
    expect(result).toEqual({ url: `${SITE}/issues/`, timings: { approval: 0, acquire: 0, run: 0 } });
    expect(jobs[0]).toMatchObject({ target: { tabId: 1, frameId: 0, documentId: 'doc' }, loginSelector: '#login' });
  });

  it('K-10 a no ends it before any tab is touched', async () => {
    const no = new ForgeError('approval_denied', 'No.');
    const { control, stages, log } = setUp({ askPerson: () => Promise.reject(no) });
    expect(await failure(runCall({ ...CALL, approval: { reason: '', timeout_ms: 1 } }, control, stages))).toBe(no);
    expect(log).toEqual([`permission ${SITE}/*`]);
  });

  it('asks for the page’s own site when that is another one', async () => {
    const { control, stages, log } = setUp();
    const acquire = { ...CALL.acquire, url: 'https://admin.acme.com/x' };
    await runCall({ ...CALL, acquire }, control, stages);
    expect(log.slice(0, 2)).toEqual([`permission ${SITE}/*`, 'permission https://admin.acme.com/*']);
  });

  it.each([
    [`${SITE}/login.jsp?os_destination=secret`, 'login_required', `${SITE}/login.jsp`],
    ['https://sso.example/start?token=secret', 'login_required', 'https://sso.example/start'],
    ['chrome-error://chromewebdata/', 'page_error', 'chrome-error'],
  ])('C-24 a tab that ends at %s runs nothing', async (url, code, words) => {
    const { control, stages, log } = setUp({}, url);
    const error = await failure(runCall(CALL, control, stages));
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(JSON.stringify(error) + String(error)).not.toContain('secret');
    // The person can be led there, unless the tab is closed with the call.
    if (code === 'login_required') expect(error).toMatchObject({ details: { tab_id: 1 } });
    const once = { ...CALL, acquire: { ...CALL.acquire, tab_strategy: 'ephemeral' as const } };
    const other = setUp({}, url);
    expect(await failure(runCall(once, other.control, other.stages))).not.toMatchObject({ details: { tab_id: 1 } });
    expect(log).toEqual([`permission ${SITE}/*`, 'acquire', 'release']);
  });

  it('runs in a frame after it has looked at the page for a login form', async () => {
    const call = { ...CALL, frame: 'https://frame.example/*' };
    const { control, stages, log, jobs } = setUp();
    await runCall(call, control, stages);
    expect(log).toEqual([
      `permission ${SITE}/*`,
      'acquire',
      'frame',
      'permission https://frame.example/*',
      'run',
      'release',
    ]);
    expect(jobs[0]).toMatchObject({ target: { frameId: 7, documentId: 'inner' }, loginSelector: null });
    const loggedOut = setUp({ hasSelector: () => Promise.resolve(true) });
    expect(await failure(runCall(call, loggedOut.control, loggedOut.stages))).toMatchObject({ code: 'login_required' });
  });

  it('looks for its page again when that was replaced before the script started, and not for ever', async () => {
    let left = 1;
    const { control, stages, log } = setUp({ runScript: () => Promise.resolve(left-- > 0 ? null : '2') });
    expect((await runCall(CALL, control, stages)).body).toBe('2');
    expect(log.filter((line) => line === 'acquire')).toHaveLength(2);
    const never = setUp({ runScript: () => Promise.resolve(null) });
    expect(await failure(runCall(CALL, never.control, never.stages))).toMatchObject({ code: 'tab_closed' });
  });

  it('a script that hangs is given up at the deadline, and the tab is freed when it ends after all', async () => {
    let finish = (_: string): void => undefined;
    const { clock, control, stages, log } = setUp({ runScript: () => new Promise((resolve) => (finish = resolve)) });
    const call = failure(runCall(CALL, control, stages));
    await clock.advance(1000);
    expect(await call).toMatchObject({ code: 'call_timeout', message: expect.stringContaining('1000 ms') });
    expect(log.at(-1)).toBe('give up');
    finish('late');
    await clock.advance(0);
    expect(log.at(-1)).toBe('over');
  });

  it('a script that fails, by itself or after it was given up, keeps no tab', async () => {
    const failing = setUp({ runScript: () => Promise.reject(new ForgeError('script_failed', 'No.')) });
    expect(await failure(runCall(CALL, failing.control, failing.stages))).toMatchObject({ code: 'script_failed' });
    expect(failing.log.at(-1)).toBe('release');
    let fail = (_: Error): void => undefined;
    const late = setUp({ runScript: () => new Promise((_, reject) => (fail = reject)) });
    const call = failure(runCall(CALL, late.control, late.stages));
    await late.clock.advance(1000);
    await call;
    fail(new Error('late'));
    await late.clock.advance(0);
    expect(late.log.slice(-2)).toEqual(['give up', 'over']);
  });

  it('one that is stopped while its frame is looked for never runs', async () => {
    const { control, stages, log } = setUp({
      findFrame: (tabId) => {
        control.stop(new ForgeError('browser_paused', 'Paused.'));
        return Promise.resolve({ tabId, frameId: 7, documentId: 'inner', url: 'https://frame.example/x' });
      },
    });
    const call = { ...CALL, frame: 'https://frame.example/*', acquire: { ...CALL.acquire, login_selector: '' } };
    expect(await failure(runCall(call, control, stages))).toMatchObject({ code: 'browser_paused' });
    expect(log).not.toContain('run');
    expect(log.at(-1)).toBe('release');
  });

  it('W-21 waits for no turn where documents have no names', async () => {
    const { control, stages, jobs, log } = setUp({ isQuick: () => true });
    const release = () => void log.push('release');
    stages.tabs.acquire = () => Promise.resolve({ tab: { ...TAB, documentId: null }, release, giveUp: () => release });
    await runCall({ ...CALL, may_join: true }, control, stages);
    expect(jobs.map(({ turn }) => turn)).toEqual([null]);
  });

  it('W-21 one that shares its tab and is given up has a moment to end, so that the others keep the tab', async () => {
    let finish = (_: string): void => undefined;
    const isQuick = () => true;
    const runScript = () => new Promise<string>((resolve) => (finish = resolve));
    for (const [ms, released] of [
      [249, ['release']],
      [250, ['give up', 'over']],
    ] as const) {
      const { clock, control, stages, log } = setUp({ isQuick, runScript });
      const call = failure(runCall(CALL, control, stages));
      await clock.advance(0);
      control.stop(new ForgeError('cancelled', 'Stopped.'));
      expect(await call).toMatchObject({ code: 'cancelled' });
      await clock.advance(ms);
      finish('late');
      await clock.advance(1000);
      expect(log.slice(log.indexOf('acquire') + 1)).toEqual(released);
    }
  });

  it('W-21 one that is given up before its turn leaves the tab to the others', async () => {
    const { clock, control, stages, log } = setUp({
      isQuick: () => true,
      runScript: ({ turn }) => {
        turn?.onStage('waiting');
        return new Promise(() => undefined);
      },
    });
    const call = failure(runCall({ ...CALL, may_join: true }, control, stages));
    await clock.advance(1000);
    expect(await call).toMatchObject({ code: 'call_timeout', message: expect.stringContaining('kept the tab busy') });
    expect(log.at(-1)).toBe('release');
  });

  it.each([
    [true, true, true],
    [false, false, false],
    [undefined, true, false],
  ])('W-21 may_join %s: beside quick ones %s, together with them %s', async (may_join, isQuick, hasTurn) => {
    const asked: boolean[] = [];
    const { control, stages, jobs } = setUp({ isQuick: () => true });
    const { acquire } = stages.tabs;
    stages.tabs.acquire = (wanted, options) => {
      asked.push(options.isQuick);
      return acquire(wanted, options);
    };
    await runCall({ ...CALL, ...(may_join === undefined ? {} : { may_join }) }, control, stages);
    expect(asked).toEqual([isQuick]);
    expect(jobs.map(({ turn }) => turn !== null)).toEqual([hasTurn]);
  });

  it('the time a person takes to answer is not the call’s', async () => {
    const { clock, control, stages } = setUp({
      askPerson: () => new Promise((resolve) => void clock.after(5000, resolve)),
    });
    const call = runCall({ ...CALL, approval: { reason: '', timeout_ms: 9000 } }, control, stages);
    await clock.advance(5000);
    expect((await call).body).toBe('[1]');
  });

  it.each([
    ['loading', 'navigation_timeout'],
    ['waiting', 'call_timeout'],
  ] as const)('time that runs out while %s is a %s', async (stage, code) => {
    const { clock, control, stages } = setUp();
    stages.tabs = {
      ...stages.tabs,
      acquire: (_, { onLoading, signal }) => {
        onLoading?.(stage === 'loading');
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      },
    };
    const call = failure(runCall(CALL, control, stages));
    await clock.advance(1000);
    expect(await call).toMatchObject({ code });
  });
});

describe('C-108…C-111 a probe', () => {
  const PROBE: Probe = {
    pluginId: 'jira',
    host_match: `${SITE}/*`,
    login_redirect: '/login.jsp',
    runner: 'main',
    timeout_ms: 1000,
  };

  it('says where the person is logged in, and runs nothing', async () => {
    const { control, stages, log } = setUp();
    expect(await runProbe(PROBE, control, stages)).toEqual({ ok: true, url: TAB.url });
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

  it('other failures are told in words, those of the bridge are errors', async () => {
    const denied = new ForgeError('permission_missing', 'Not allowed.', { hint: 'Allow it.' });
    const { control, stages } = setUp({ checkPermission: () => Promise.reject(denied) });
    expect(await runProbe(PROBE, control, stages)).toEqual({ ok: false, error: 'Not allowed. Allow it.' });
    const paused = setUp({ checkPermission: () => Promise.reject(new ForgeError('browser_paused', 'Paused.')) });
    expect(await failure(runProbe(PROBE, paused.control, paused.stages))).toMatchObject({ code: 'browser_paused' });
  });
});
