import type { Run } from '../../../shared/bridge.ts';
import type { TabInfo } from '../../tabs/tab-mirror.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { createControl } from '../deadline.ts';
import type { CallStages } from '../run-call.ts';
import type { ScriptJob } from '../run-together.ts';

export const SITE = 'https://jira.acme.com';
export const CALL: Run = {
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

export const TAB = { id: 1, url: `${SITE}/issues/`, documentId: 'doc' } as TabInfo; // the parts a call reads

export function setUp(changes: Partial<CallStages> = {}, url = TAB.url) {
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
    urlOf: () => url,
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

export const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => null).catch((error: unknown) => error);
