import { describe, expect, it } from 'vitest';
import { ForgeError } from '../../shared/errors.ts';
import { runCall } from './run-call.ts';
import { CALL, SITE, TAB, failure, setUp } from './testing/call-world.ts';

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
    const failed = failure(runCall(CALL, failing.control, failing.stages));
    await failing.clock.advance(500);
    expect(await failed).toMatchObject({ code: 'script_failed' });
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
