import type { Acquire, Probe, ProbeAnswer, Run, RunAnswer } from '../../shared/bridge.ts';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import type { Clock } from '../clock.ts';
import { orAborted } from '../or-aborted.ts';
import type { AcquireOptions, Lease, TabFinder } from '../tabs/acquire.ts';
import { checkArrival, loginRequired } from '../tabs/arrival.ts';
import type { Wanted } from '../tabs/choose-tab.ts';
import { matchPattern } from '../tabs/match-pattern.ts';
import type { ScriptTarget } from '../platform/scripts.ts';
import type { CallControl } from './deadline.ts';
import type { ScriptJob } from './run-together.ts';

/** The stages of a call, each with what it needs of the world. */
export interface CallStages {
  /** Throws `permission_missing` when the person has allowed none of these; `why` is what they are told needs it. */
  checkPermission: (origins: readonly string[], why: string) => Promise<void>;
  /** Throws `user_scripts_off` for a world this browser does not offer. */
  checkWorld: (world: Run['runner']) => Promise<void>;
  askPerson: (call: Run, signal: AbortSignal) => Promise<void>;
  tabs: Pick<TabFinder, 'acquire'>;
  findFrame(tabId: number, pattern: string, signal: AbortSignal): Promise<ScriptTarget & { url: string }>;
  hasSelector: (tabId: number, selector: string) => Promise<boolean>;
  runScript: (job: ScriptJob) => Promise<string | null>;
  /** Whether a script is known to run in one go. */
  isQuick: (script: string) => boolean;
  now: () => number;
  after: Clock['after'];
}

/** A script that runs in one go is over by then. */
const QUICK_MS = 250;

/** A page that is replaced again and again just before a script starts is given up on. */
const MAX_STARTS = 3;

/** One tool call, from the question whether it may to the text of its result. */
export async function runCall(
  call: Run,
  control: CallControl,
  stages: CallStages,
): Promise<{ result: RunAnswer; body: string }> {
  const { signal } = control;
  const wanted = toWanted(call.acquire);
  const began = stages.now();
  await stages.checkPermission(wanted.pattern.origins, call.title);
  // A page outside the site that tabs are looked for on has to be allowed too.
  if (wanted.url !== null && !wanted.pattern.matches(wanted.url))
    await stages.checkPermission([originOf(wanted.url)], call.title);
  await stages.checkWorld(call.runner);
  if (call.approval !== null) await stages.askPerson(call, signal);
  const approved = stages.now();
  control.start(call.timeout_ms);

  for (let start = 0; start < MAX_STARTS; start += 1) {
    const isQuick = call.may_join !== false && stages.isQuick(call.script);
    const lease = await acquire(wanted, { settleMs: call.acquire.settle_ms, isQuick }, control, stages);
    const acquired = stages.now();
    control.stage = 'running';
    const body = await runInTab({ call, wanted, lease, isQuick }, control, stages);
    if (body === null) continue;
    const timings = { approval: approved - began, acquire: acquired - approved, run: stages.now() - acquired };
    return { result: { url: lease.tab.url, timings }, body };
  }
  throw new ForgeError('tab_closed', 'The page kept being replaced before the script could start.');
}

/** Acquires a tab and says whether the person is logged in there; runs no script of a connector (C-108…C-111). */
export async function runProbe(probe: Probe, control: CallControl, stages: CallStages): Promise<ProbeAnswer> {
  const wanted: Wanted = {
    hostMatch: probe.host_match,
    pattern: matchPattern(probe.host_match),
    url: null,
    onTarget: null,
    loginRedirect: probe.login_redirect ?? null,
    strategy: 'reuse',
  };
  let url: string | undefined;
  try {
    await stages.checkPermission(wanted.pattern.origins, `Testing ${probe.pluginId}`);
    control.start(probe.timeout_ms);
    const lease = await acquire(wanted, { settleMs: 0, isQuick: false }, control, stages);
    url = lease.tab.url;
    try {
      checkArrival(url, wanted);
      const selector = probe.auth_required_selector;
      if (selector !== undefined && (await orAborted(stages.hasSelector(lease.tab.id, selector), control.signal)))
        throw loginRequired(url);
    } finally {
      lease.release();
    }
    return { ok: true, url };
  } catch (error) {
    if (!isForgeError(error)) throw error;
    // The bridge's own states are not the site's: the server tells them in its own words.
    if (error.code === 'browser_paused' || error.code === 'cancelled') throw error;
    const said = error.code === 'login_required' ? 'login required' : `${error.message} ${error.hint}`;
    return { ok: false, error: said, ...(url === undefined ? {} : { url }) };
  }
}

function toWanted(acquire: Acquire): Wanted {
  return {
    hostMatch: acquire.host_match,
    pattern: matchPattern(acquire.host_match),
    url: acquire.url,
    onTarget: acquire.on_target,
    loginRedirect: acquire.login_redirect,
    strategy: acquire.tab_strategy,
  };
}

/** An address as a permission is written. */
function originOf(url: string): string {
  if (!URL.canParse(url))
    throw new ForgeError('invalid_request', `${JSON.stringify(url.slice(0, 200))} is not an address`);
  return `${new URL(url).origin}/*`;
}

async function acquire(
  wanted: Wanted,
  how: Pick<AcquireOptions, 'settleMs' | 'isQuick'>,
  control: CallControl,
  stages: CallStages,
): Promise<Lease> {
  control.stage = 'waiting';
  return stages.tabs.acquire(wanted, {
    ...how,
    signal: control.signal,
    onLoading: (isLoading) => (control.stage = isLoading ? 'loading' : 'waiting'),
  });
}

interface Attempt {
  call: Run;
  wanted: Wanted;
  lease: Lease;
  /** It may share the tab with others. */
  isQuick: boolean;
}

/** Runs the script and gives the tab back. Null when it never started. */
async function runInTab({ call, wanted, lease, isQuick }: Attempt, control: CallControl, stages: CallStages) {
  const { signal } = control;
  let running: Promise<string | null> | null = null;
  try {
    checkArrival(lease.tab.url, wanted);
    const place = await findPlace(call, lease, signal, stages);
    signal.throwIfAborted();
    running = stages.runScript({
      ...place,
      connector: call.connector,
      world: call.runner,
      script: call.script,
      args: call.args,
      settings: call.settings,
      maxResultBytes: call.max_result_bytes,
      expect: call.expect ?? null,
      // Without its name (Firefox) a document that has come in the meantime would be taken for the one that was looked at.
      turn:
        isQuick && call.may_join === true && place.target.documentId !== null
          ? { signal, onStage: (stage) => (control.stage = stage) }
          : null,
    });
    const text = await orAborted(running, signal);
    lease.release();
    return text;
  } catch (error) {
    const isAtWork = signal.aborted && control.stage === 'running';
    if (running !== null && isAtWork) releaseWhenOver(running, lease, isQuick ? QUICK_MS : 0, stages);
    else lease.release();
    throw wanted.strategy === 'ephemeral' ? error : withTab(error, lease.tab.id);
  }
}

/**
 * Gives the tab of a script back that nobody waits for any more. If it is still at work after a moment, nobody gets the tab until
 * it ends; a tab of ours is closed, and others who share it lose their calls.
 */
function releaseWhenOver(running: Promise<unknown>, lease: Lease, afterMs: number, { after }: CallStages): void {
  let over = lease.release;
  let cancel = (): void => undefined;
  const giveUp = (): void => void (over = lease.giveUp());
  if (afterMs === 0) giveUp();
  else cancel = after(afterMs, giveUp);
  const end = (): void => {
    cancel();
    over();
  };
  running.then(end, end);
}

/** The person can be led to the tab where they have to log in. */
function withTab(error: unknown, tabId: number): unknown {
  if (!isForgeError(error, 'login_required')) return error;
  const { code, message, hint, details } = error;
  return new ForgeError(code, message, { hint, details: { ...(details as object | undefined), tab_id: tabId } });
}

/** The document to run in. A frame is looked for only when the tool names one. */
async function findPlace(call: Run, { tab }: Lease, signal: AbortSignal, stages: CallStages) {
  const loginSelector = call.acquire.login_selector === '' ? null : call.acquire.login_selector;
  if (call.frame === null) {
    return { target: { tabId: tab.id, frameId: 0, documentId: tab.documentId }, url: tab.url, loginSelector };
  }
  if (loginSelector !== null && (await orAborted(stages.hasSelector(tab.id, loginSelector), signal)))
    throw loginRequired(tab.url);
  const { url, ...target } = await stages.findFrame(tab.id, call.frame, signal);
  await stages.checkPermission([originOf(url)], call.title);
  return { target, url, loginSelector: null };
}
