import { ForgeError } from '../../shared/errors.ts';
import { ownPageRefused } from '../../shared/own-origins.ts';
import { loginRequired } from '../tabs/arrival.ts';
import type { RunOptions, ScriptTarget } from '../platform/scripts.ts';
import type { QuickScripts } from './quick-scripts.ts';
import { isLargerThan, type EndOutcome } from './outcome.ts';
import { NOT_STARTED, fromRejection, leftPage } from './rejections.ts';
import type { ScriptJob } from './run-together.ts';
import { createScriptRuns } from './script-runs.ts';

/** What running a script asks of the browser. */
export interface ScriptDoor {
  executeUserScript: (options: RunOptions) => Promise<unknown>;
  executeByEval: (options: RunOptions, nonce: string) => Promise<unknown>;
  /** Whether the document is still the one in its frame. */
  isStillThere: (target: ScriptTarget) => Promise<boolean>;
}

export interface UserScripts {
  /** As far as is known without asking. */
  isOn: () => boolean;
  /** Asks again; called when a run suggests that it has changed. */
  check: () => Promise<boolean>;
}

interface Deps {
  door: ScriptDoor;
  quick: QuickScripts;
  userScripts: UserScripts;
  /**
   * Marks what our own code returned. One for the life of a worker, not one per call: the browser then compiles a script that is run
   * again only once, which is a third of the time of a call.
   */
  nonce: string;
  /** Names the place for runs that are left in a page; nobody in the page may know it. */
  store: string;
  ownOrigins: () => readonly string[];
}

/** Runs a tool's script in a document and returns its value as JSON text; null when the document was gone before it started. */
export function createRunScript(deps: Deps): (job: ScriptJob) => Promise<string | null> {
  const { quick, nonce, store, ownOrigins } = deps;
  const run = createScriptRuns({
    execute: (job, code) => execute(job, code, deps),
    onWait: (script) => quick.learn(script, false),
    ...{ nonce, store, ownOrigins },
  });
  return async (job) => {
    let outcome: EndOutcome;
    try {
      outcome = await run(job);
    } catch (error) {
      if (error instanceof ForgeError) throw error;
      if (error instanceof Error && NOT_STARTED.test(error.message)) return null;
      throw await explain(fromRejection(error, job.url), deps.userScripts);
    }
    if (outcome.kind !== 'value') throw await toError(outcome, job, deps);
    // One that has waited for its turn was known to be quick; what the others in its program did is told by then.
    if (job.turn === null) quick.learn(job.script, outcome.isQuick);
    if (isLargerThan(outcome.text, job.maxResultBytes)) throw tooLarge(job.maxResultBytes);
    return outcome.text;
  };
}

async function execute(job: ScriptJob, code: string, { door, userScripts, nonce }: Deps): Promise<unknown> {
  const options = { target: job.target, url: job.url, code, worldId: job.world === 'main' ? null : job.connector };
  if (userScripts.isOn() || (await userScripts.check())) return door.executeUserScript(options);
  if (job.world === 'isolated') throw userScriptsOff('This tool runs beside the page, which needs user scripts.');
  return door.executeByEval(options, nonce);
}

/** A refusal can mean that the switch was turned off while the worker lived. */
async function explain(error: ForgeError, userScripts: UserScripts): Promise<ForgeError> {
  if (error.code !== 'script_failed' && error.code !== 'user_scripts_off') return error;
  return userScripts.isOn() && !(await userScripts.check())
    ? userScriptsOff('User scripts were turned off for Forge in this browser.')
    : error;
}

async function toError(
  outcome: Exclude<EndOutcome, { kind: 'value' }>,
  job: Pick<ScriptJob, 'url' | 'target' | 'maxResultBytes' | 'expect'>,
  { door }: Deps,
): Promise<ForgeError> {
  switch (outcome.kind) {
    case 'login':
      return loginRequired(job.url);
    case 'page_failed':
      return pageFailed(job.url, outcome.status);
    case 'element_missing':
      return new ForgeError(
        'unexpected_result',
        `The page ${job.url} has no element that matches ${JSON.stringify(job.expect?.selector ?? '')}.`,
      );
    case 'own_page':
      return ownPageRefused(job.url);
    case 'interfered':
      return new ForgeError('page_interferes', `The page has replaced ${outcome.what}, which the result depends on.`);
    case 'not_json':
      return new ForgeError('result_not_json', `What the script returned is not JSON: ${outcome.reason}.`);
    case 'too_large':
      return tooLarge(job.maxResultBytes);
    case 'threw': {
      const { name, message, line } = outcome;
      const where = line === null ? '' : ` (line ${line} of the script)`;
      const what = [name, message].filter((part) => part !== '').join(': ');
      return new ForgeError('script_failed', `The script threw ${what || 'something'}${where}`, {
        details: { name, message, line },
      });
    }
    case 'eval_blocked':
      return userScriptsOff('This page forbids scripts that are not its own, and user scripts are off.');
    case 'syntax':
      return new ForgeError('script_syntax', `The script cannot be parsed: ${outcome.message}`);
    case 'nothing':
      return (await door.isStillThere(job.target))
        ? new ForgeError('script_syntax', 'The browser could not parse the script.')
        : leftPage();
  }
}

function pageFailed(url: string, status: number): ForgeError {
  if (status === 401) return loginRequired(url);
  return new ForgeError('upstream_error', `The page ${url} answered HTTP ${status}, so its script was not run.`, {
    hint: 'Check the address and the arguments. If the page works all the same, list the status in page.ok_status.',
    details: { status },
  });
}

function tooLarge(maxBytes: number): ForgeError {
  return new ForgeError('result_too_large', `The script’s result is larger than ${maxBytes} bytes.`);
}

export function userScriptsOff(message: string): ForgeError {
  return new ForgeError('user_scripts_off', message);
}
