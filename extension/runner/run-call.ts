import type { Acquire, Run, RunAnswer } from '../../shared/bridge.ts';
import { ForgeError, isForgeError, type ErrorCode } from '../../shared/errors.ts';
import { orAborted } from '../or-aborted.ts';
import type { AcquireOptions, Lease, TabFinder } from '../tabs/acquire.ts';
import { checkArrival, loginRequired } from '../tabs/arrival.ts';
import type { Wanted } from '../tabs/choose-tab.ts';
import { matchPattern } from '../tabs/match-pattern.ts';
import type { ScriptTarget } from '../platform/scripts.ts';
import type { CallControl } from './deadline.ts';
import { loginSince, requireLogin, signsOf, type LoginEyes } from './login.ts';
import type { ScriptJob } from './run-together.ts';
import { parseUrl } from '../../shared/parse-url.ts';

/** The stages of a call, each with what it needs of the world. */
export interface CallStages extends LoginEyes {
  /** Throws `permission_missing` when the person has allowed none of these; `why` is what they are told needs it. */
  checkPermission: (origins: readonly string[], why: string) => Promise<void>;
  /** Throws `user_scripts_off` for a world this browser does not offer. */
  checkWorld: (world: Run['runner']) => Promise<void>;
  askPerson: (call: Run, signal: AbortSignal) => Promise<void>;
  tabs: Pick<TabFinder, 'acquire'>;
  findFrame(tabId: number, pattern: string, signal: AbortSignal): Promise<ScriptTarget & { url: string }>;
  runScript: (job: ScriptJob) => Promise<string | null>;
  /** Whether a script is known to run in one go. */
  isQuick: (script: string) => boolean;
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
  if (call.approval !== null) {
    await lookFirst(call, wanted, control, stages);
    await stages.askPerson(call, signal);
  }
  const approved = stages.now();
  control.start(call.timeout_ms);

  for (let start = 0; start < MAX_STARTS; start += 1) {
    const isQuick = call.may_join !== false && stages.isQuick(call.script);
    const lease = await acquireTab(wanted, { settleMs: call.acquire.settle_ms, isQuick }, control, stages);
    const acquired = stages.now();
    control.stage = 'running';
    const body = await runInTab({ call, wanted, lease, isQuick }, control, stages);
    if (body === null) continue;
    const timings = { approval: approved - began, acquire: acquired - approved, run: stages.now() - acquired };
    return { result: { url: lease.tab.url, timings }, body };
  }
  throw new ForgeError('tab_closed', 'The page kept being replaced before the script could start.');
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
  const address = parseUrl(url);
  if (address === null)
    throw new ForgeError('invalid_request', `${JSON.stringify(url.slice(0, 200))} is not an address`);
  return `${address.origin}/*`;
}

export async function acquireTab(
  wanted: Wanted,
  how: Pick<AcquireOptions, 'settleMs' | 'isQuick'>,
  control: CallControl,
  stages: CallStages,
): Promise<PreparedTab> {
  control.stage = 'waiting';
  let isJustLoaded = false;
  const lease = await stages.tabs.acquire(wanted, {
    ...how,
    signal: control.signal,
    onLoading: (isLoading) => {
      isJustLoaded = true;
      control.stage = isLoading ? 'loading' : 'waiting';
    },
  });
  return { ...lease, isJustLoaded };
}

/** A tab that was loaded for the call may still be on its way to the login page. */
type PreparedTab = Lease & { isJustLoaded: boolean };

/**
 * Nobody is asked about what cannot be done because they are not logged in. A page whose address the arguments decide is not opened before
 * a person has seen them: the site itself is looked at then.
 */
async function lookFirst(call: Run, wanted: Wanted, control: CallControl, stages: CallStages): Promise<void> {
  const look = call.approval?.look;
  if (look === undefined) return;
  const where = look === 'page' ? wanted : { ...wanted, url: null, onTarget: null };
  control.start(call.timeout_ms);
  const lease = await acquireTab(where, { settleMs: call.acquire.settle_ms, isQuick: false }, control, stages);
  try {
    checkArrival(lease.tab.url, where);
    await requireLogin(lease.tab.id, signsOf(call.acquire), control.signal, stages);
  } catch (error) {
    throw withTab(error, lease.tab.id, wanted);
  } finally {
    lease.release();
    control.end();
  }
}

interface Attempt {
  call: Run;
  wanted: Wanted;
  lease: PreparedTab;
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
    // One that changes things may have logged the person out itself.
    if (text !== null && EMPTY.test(text) && call.may_join !== false && call.approval === null) {
      const signs = signsOf(call.acquire);
      const at = await loginSince(lease.tab.id, signs, signal, stages, lease.isJustLoaded ? 'waiting' : 'at once');
      if (at !== null) throw loginRequired(at);
    }
    lease.release();
    return text;
  } catch (failure) {
    const error = await explain(failure, call, lease, signal, stages);
    const isAtWork = signal.aborted && control.stage === 'running';
    if (running !== null && isAtWork) releaseWhenOver(running, lease, isQuick ? QUICK_MS : 0, stages);
    else lease.release();
    throw withTab(error, lease.tab.id, wanted);
  }
}

/** What a script returns that finds nothing, and what it returns when it says itself that it failed. */
const EMPTY = /^(null|\[\]|\{\}|""|\{"_error":.*)$/s;
/** Failures that a page which has gone to its login explains. */
const BY_LOGIN: ReadonlySet<ErrorCode> = new Set(['script_failed', 'tab_closed', 'frame_not_found', 'call_timeout']);

async function explain(error: unknown, call: Run, { tab }: Lease, signal: AbortSignal, stages: CallStages) {
  if (!isForgeError(error) || !BY_LOGIN.has(error.code)) return error;
  const at = await loginSince(tab.id, signsOf(call.acquire), signal, stages);
  return at === null ? error : loginRequired(at, error.message);
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
function withTab(error: unknown, tabId: number, { strategy }: Wanted): unknown {
  if (strategy === 'ephemeral' || !isForgeError(error, 'login_required')) return error;
  const { code, message, hint, details } = error;
  return new ForgeError(code, message, { hint, details: { ...(details as object | undefined), tab_id: tabId } });
}

/** The document to run in. A frame is looked for only when the tool names one. */
async function findPlace(call: Run, { tab }: Lease, signal: AbortSignal, stages: CallStages) {
  const signs = signsOf(call.acquire);
  // The sign of a missing login alone is looked for on the way, by what runs the script.
  if (signs.loggedIn !== null || (signs.loggedOut !== null && call.frame !== null))
    await requireLogin(tab.id, signs, signal, stages);
  if (call.frame === null) {
    const target = { tabId: tab.id, frameId: 0, documentId: tab.documentId };
    return { target, url: tab.url, loginSelector: signs.loggedOut };
  }
  const { url, ...target } = await stages.findFrame(tab.id, call.frame, signal);
  await stages.checkPermission([originOf(url)], call.title);
  return { target, url, loginSelector: null };
}
