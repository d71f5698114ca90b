import type { Inspect } from '../../shared/bridge.ts';
import { ForgeError } from '../../shared/errors.ts';
import { orAborted } from '../or-aborted.ts';
import type { CallControl } from '../runner/deadline.ts';
import { fromRejection } from '../runner/rejections.ts';
import type { CallStages } from '../runner/run-call.ts';
import { checkArrival } from '../tabs/arrival.ts';
import type { Wanted } from '../tabs/choose-tab.ts';
import { matchPattern } from '../tabs/match-pattern.ts';
import type { TabInfo } from '../tabs/tab-mirror.ts';
import { pageOutline } from './page-outline.ts';
import { pageSelector } from './page-selector.ts';

type CallInPage = <A extends unknown[], R>(
  target: { tabId: number },
  func: (...args: A) => R,
  args: A,
) => Promise<Awaited<R>[]>;

interface InspectDeps {
  stages: Pick<CallStages, 'checkPermission' | 'checkWorld' | 'tabs' | 'runScript'>;
  callInPage: CallInPage;
}

const MAX_RESULT_BYTES = 4 * 1024 * 1024;

/** Looks at a page for whoever writes a tool: its outline, what a selector finds, or what a script returns (C-121). */
export async function runInspect(
  inspect: Inspect,
  control: CallControl,
  deps: InspectDeps,
): Promise<{ result: { url: string }; body: string }> {
  const { stages } = deps;
  const pattern = matchPattern(inspect.host_match);
  const wanted: Wanted = {
    hostMatch: inspect.host_match,
    pattern,
    url: null,
    onTarget: null,
    loginRedirect: null,
    strategy: 'reuse',
  };
  await stages.checkPermission(pattern.origins);
  control.start(inspect.timeout_ms);
  const lease = await stages.tabs.acquire(wanted, {
    settleMs: 0,
    isQuick: false,
    signal: control.signal,
    onLoading: (isLoading) => (control.stage = isLoading ? 'loading' : 'waiting'),
  });
  control.stage = 'running';
  try {
    checkArrival(lease.tab.url, wanted);
    const body = await orAborted(look(inspect.action, lease.tab, deps), control.signal);
    return { result: { url: lease.tab.url }, body };
  } finally {
    lease.release('done');
  }
}

async function look(action: Inspect['action'], tab: TabInfo, deps: InspectDeps): Promise<string> {
  const { id: tabId, url, documentId } = tab;
  if (action.kind === 'script') {
    await deps.stages.checkWorld(action.runner);
    const text = await deps.stages.runScript({
      target: { tabId, frameId: 0, documentId },
      url,
      connector: 'forge-inspect',
      world: action.runner,
      script: action.script,
      args: '{}',
      settings: '{}',
      maxResultBytes: MAX_RESULT_BYTES,
      loginSelector: null,
    });
    if (text === null) throw new ForgeError('tab_closed', 'The tab left the page before the script started.');
    return text;
  }
  const [seen] = await (
    action.kind === 'outline'
      ? deps.callInPage({ tabId }, pageOutline, [action.max_nodes])
      : deps.callInPage({ tabId }, pageSelector, [action.selector])
  ).catch((error: unknown) => {
    throw fromRejection(error);
  });
  if (seen === undefined) throw new ForgeError('page_error', 'The page could not be read.');
  if ('problem' in seen) throw new ForgeError('invalid_argument', `The selector cannot be used: ${seen.problem}.`);
  return JSON.stringify(seen);
}
