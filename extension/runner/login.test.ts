import { describe, expect, it } from 'vitest';
import type { Run } from '../../shared/bridge.ts';
import { ForgeError } from '../../shared/errors.ts';
import { runCall, type CallStages } from './run-call.ts';
import { CALL, SITE, TAB, failure, setUp } from './testing/call-world.ts';

const LOGIN = `${SITE}/login.jsp?next=secret`;
const withSign: Run = { ...CALL, acquire: { ...CALL.acquire, logged_in_selector: '#me' } };
const asking = (look?: 'page' | 'site'): Run => ({
  ...CALL,
  approval: { reason: 'r', timeout_ms: 1, ...(look === undefined ? {} : { look }) },
});

/** What the page shows, by selector. */
const shows = (...selectors: string[]): Partial<CallStages> => ({
  hasSelector: (_, selector) => Promise.resolve(selectors.includes(selector)),
});

describe('C-24 a login that is over', () => {
  it('is told by a missing logged_in_selector, once the page had time to draw it', async () => {
    const { clock, control, stages, log } = setUp();
    const call = failure(runCall({ ...withSign, timeout_ms: 9000 }, control, stages));
    await clock.advance(4900);
    expect(log).not.toContain('release');
    await clock.advance(100);
    expect(await call).toMatchObject({ code: 'login_required', details: { tab_id: 1 } });
    expect(log).not.toContain('run');
  });

  it('does not stop a call on a page that shows its sign of a login', async () => {
    const { control, stages } = setUp(shows('#me'));
    expect((await runCall(withSign, control, stages)).body).toBe('[1]');
  });

  it.each([
    ['throws', () => Promise.reject(new ForgeError('script_failed', 'null has no x'))],
    ['loses its page', () => Promise.reject(new ForgeError('tab_closed', 'left'))],
    ['returns nothing', () => Promise.resolve('null')],
    ['finds nothing', () => Promise.resolve('[]')],
    ['says that it failed', () => Promise.resolve('{"_error":"401"}')],
  ])('is told when a script %s because the page went to its login meanwhile', async (_, run) => {
    let url = TAB.url;
    const runScript = (): Promise<string> => {
      url = LOGIN;
      return run();
    };
    const { control, stages, log } = setUp({ urlOf: () => url, runScript });
    const error = await failure(runCall(CALL, control, stages));
    expect(error).toMatchObject({ code: 'login_required', details: { url: `${SITE}/login.jsp`, tab_id: 1 } });
    expect(log.at(-1)).toBe('release');
  });

  it('is told when the page draws its login form shortly after a script failed', async () => {
    let isDrawn = false;
    const { clock, control, stages } = setUp({
      hasSelector: (_, selector) => Promise.resolve(isDrawn && selector === '#login'),
      runScript: () => Promise.reject(new ForgeError('script_failed', 'null has no x')),
    });
    const call = failure(runCall(CALL, control, stages));
    await clock.advance(200);
    isDrawn = true;
    await clock.advance(100);
    expect(await call).toMatchObject({ code: 'login_required', details: { failure: 'null has no x' } });
  });

  it('is not what a tool is told that logs out itself and returns nothing', async () => {
    let url = TAB.url;
    const runScript = (): Promise<string> => {
      url = LOGIN;
      return Promise.resolve('null');
    };
    const { control, stages } = setUp({ urlOf: () => url, runScript });
    expect((await runCall({ ...CALL, may_join: false }, control, stages)).body).toBe('null');
  });

  it('leaves a failure alone on a page that is still logged in', async () => {
    const runScript = () => Promise.reject(new ForgeError('script_failed', 'a bug'));
    const { control, stages } = setUp({ ...shows('#me'), runScript });
    expect(await failure(runCall(withSign, control, stages))).toMatchObject({ code: 'script_failed' });
  });
});

describe('K-10 before a person is asked', () => {
  it('the login is looked at, and nobody is asked without one', async () => {
    const { control, stages, log } = setUp({}, LOGIN);
    expect(await failure(runCall(asking('page'), control, stages))).toMatchObject({
      code: 'login_required',
      details: { tab_id: 1 },
    });
    expect(log).toEqual([`permission ${SITE}/*`, 'acquire', 'release']);
  });

  it('the tab is given back, and the person’s time is not the call’s', async () => {
    const { clock, control, stages, log } = setUp();
    stages.askPerson = () => {
      log.push('ask');
      return new Promise((resolve) => void clock.after(5000, resolve));
    };
    const call = runCall(asking('page'), control, stages);
    await clock.advance(5000);
    expect((await call).body).toBe('[1]');
    expect(log.slice(1)).toEqual(['acquire', 'release', 'ask', 'acquire', 'run', 'release']);
  });

  it('a page whose address the arguments decide is not opened', async () => {
    const { control, stages } = setUp();
    const urls: (string | null)[] = [];
    const { acquire } = stages.tabs;
    stages.tabs.acquire = (wanted, options) => {
      urls.push(wanted.url);
      return acquire(wanted, options);
    };
    await runCall(asking('site'), control, stages);
    expect(urls).toEqual([null, CALL.acquire.url]);
  });
});
