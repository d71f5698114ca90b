import type { Inspect } from '../../shared/bridge.ts';
import { ForgeError } from '../../shared/errors.ts';
import { orAborted } from '../or-aborted.ts';
import type { CallControl } from '../runner/deadline.ts';
import { fromRejection } from '../runner/rejections.ts';
import type { CallStages } from '../runner/run-call.ts';
import { checkArrival } from '../tabs/arrival.ts';
import type { Wanted } from '../tabs/choose-tab.ts';
import { matchPattern } from '../tabs/match-pattern.ts';
import type { PageScripts, ScriptTarget } from '../platform/scripts.ts';
import { pageOutline } from './outline.ts';
import { pageSelector } from './page-selector.ts';

interface LookDeps {
  stages: Pick<CallStages, 'checkWorld' | 'runScript'>;
  callInPage: PageScripts['callInPage'];
  putInPage: PageScripts['putInPage'];
}

interface InspectDeps extends LookDeps {
  stages: LookDeps['stages'] & Pick<CallStages, 'checkPermission' | 'tabs'>;
}

/** What to look at; a script may get arguments, as JSON text. */
type Look = Inspect['action'] & { args?: string };

const OUTLINE_FILE = '/page-outline.js';
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
    url: inspect.url ?? null,
    onTarget: null,
    loginRedirect: null,
    strategy: 'reuse',
  };
  await stages.checkPermission(pattern.origins, 'Looking at a page');
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
    const { id: tabId, url, documentId } = lease.tab;
    const body = await orAborted(lookAt(inspect.action, { tabId, frameId: 0, documentId, url }, deps), control.signal);
    return { result: { url: lease.tab.url }, body };
  } finally {
    lease.release();
  }
}

/** Looks at one document, and answers with JSON. */
export async function lookAt(action: Look, place: ScriptTarget & { url: string }, deps: LookDeps): Promise<string> {
  const { url, ...target } = place;
  if (action.kind === 'script') {
    await deps.stages.checkWorld(action.runner);
    const text = await deps.stages.runScript({
      target,
      url,
      connector: 'forge-inspect',
      world: action.runner,
      script: action.script,
      args: action.args ?? '{}',
      settings: '{}',
      maxResultBytes: MAX_RESULT_BYTES,
      loginSelector: null,
      expect: null,
      turn: null,
    });
    if (text === null) throw new ForgeError('tab_closed', 'The tab left the page before the script started.');
    return text;
  }
  const frame = { tabId: target.tabId, frameId: target.frameId };
  const [seen = null] = await (
    action.kind === 'outline'
      ? deps.putInPage(frame, OUTLINE_FILE).then(() => deps.callInPage(frame, pageOutline, [action.max_nodes]))
      : deps.callInPage(frame, pageSelector, [action.selector])
  ).catch((error: unknown) => {
    throw fromRejection(error);
  });
  if (seen === null) throw new ForgeError('page_error', 'The page could not be read.');
  if ('problem' in seen) throw new ForgeError('invalid_argument', `The selector cannot be used: ${seen.problem}.`);
  return JSON.stringify(seen);
}
