import { isForgeError } from '../../shared/errors.ts';
import type { JsonObject, JsonValue } from '../../shared/json.ts';
import type { AsyncBlock } from '../../shared/manifest/schema/tool.ts';
import type { WatchLimits } from '../../shared/manifest/watch-limits.ts';
import { expandJson } from '../../shared/template/expand-json.ts';
import { expandText } from '../../shared/template/expand-text.ts';
import { tokensIn } from '../../shared/template/parse.ts';
import { asTemplate, isEmpty, lookUp, type ExpandOptions, type Scope } from '../../shared/template/scope.ts';
import type { ToolEntry } from '../connectors/catalog.ts';
import type { Masker } from '../secrets/masker.ts';
import { bareNamesOf, type CallScope } from '../tools/call-scope.ts';
import { guardsOf } from './guards.ts';
import { keptValues, withoutSecrets } from './kept-values.ts';
import type { DoneTest, Ending, Reason, WatchPlan } from './watch.ts';

/** A call that has started something, with its whole result. */
export interface Start {
  entry: ToolEntry;
  block: AsyncBlock;
  scope: Pick<CallScope, 'settings' | 'args'>;
  result: JsonValue;
}

type Base = Pick<WatchPlan, 'limits' | 'browser' | 'readFrom'>;

/** More than any message or argument needs; a row is read at every poll. */
const MAX_PLAN_CHARS = 256 * 1024;
const OWN_NAMES = ['poll_count', 'max_polls'];

/**
 * What a watch will do, built once from the call that started it (C-125). With a problem the watch ends before its first poll: the tool
 * has run by then, and the person must hear that nobody watches it.
 */
export function planOf(
  start: Start,
  base: Base,
  limits: WatchLimits,
  masker: Masker,
): { plan: WatchPlan; problem: Reason | null } {
  const { entry, block } = start;
  const bareNames = bareNamesOf(entry.package);
  const scope: Scope = { settings: start.scope.settings, args: start.scope.args, result: start.result };
  const plan: WatchPlan = {
    ...guardsOf(block, limits),
    ...base,
    title: `${entry.connector.name}: ${entry.tool.name}`,
    pollArgs: {},
    done: [],
    failPath: block.fail_path ?? null,
    onDone: endingOf(block.on_done),
    onFail: endingOf(block.on_fail),
    progress: block.progress === undefined || block.progress.show === false ? null : (block.progress.message ?? null),
    scope: { args: {}, result: {}, settings: {} },
  };
  try {
    const options: ExpandOptions = { secrets: 'refuse', bareNames };
    plan.pollArgs = pollArgs(block, scope, options, masker);
    const names = new Set([...bareNames, ...OWN_NAMES]);
    plan.scope = keptValues([plan.onDone, plan.onFail, plan.progress], scope, names, masker);
    plan.done = doneTests(block, scope, options, masker);
    if (plan.done.length === 0) return { plan, problem: NO_TARGET };
  } catch (error) {
    if (!isForgeError(error)) throw error;
    return { plan, problem: { code: error.code, message: masker.redact(error.message) } };
  }
  if (JSON.stringify(plan).length <= MAX_PLAN_CHARS) return { plan, problem: null };
  const small = { ...plan, pollArgs: {}, scope: { args: {}, result: {}, settings: {} } };
  return { plan: small, problem: TOO_LARGE };
}

const NO_TARGET: Reason = {
  code: 'nothing_to_compare',
  message: 'what done_match compares with is not in the result of the call, so nobody could tell when it is done',
};
const TOO_LARGE: Reason = { code: 'too_large', message: 'what the watch would have to remember is too large' };

/** A call that chose an instance is watched there. */
function pollArgs(block: AsyncBlock, scope: Scope, options: ExpandOptions, masker: Masker): JsonObject {
  const instance = lookUp(scope, INSTANCE);
  const chosen: JsonObject = typeof instance === 'string' ? { instance } : {};
  // A map of templates expands to a map.
  const filled = expandJson(block.poll_args ?? {}, scope, options) as JsonObject;
  return withoutSecrets({ ...chosen, ...filled }, masker);
}

const INSTANCE = { root: 'args', path: ['instance'], source: '{args.instance}', start: 0, end: 0 } as const;

function doneTests(block: AsyncBlock, scope: Scope, options: ExpandOptions, masker: Masker): DoneTest[] {
  const { done_path, done_match } = block;
  const tests: DoneTest[] = done_path === undefined ? [] : [{ kind: 'path', path: done_path }];
  const equals = done_match === undefined ? null : targetOf(done_match.equals, scope, options);
  // A target that is a secret is never met: the results of polls have it masked, and so has the row.
  if (done_match !== undefined && equals !== null)
    tests.push({ kind: 'match', path: done_match.path, equals: masker.redact(equals) });
  return tests;
}

/** Null when a value that the comparison needs is missing: compared with nothing, anything or nothing would do. */
function targetOf(equals: string | number | boolean, scope: Scope, options: ExpandOptions): string | null {
  if (typeof equals !== 'string') return String(equals);
  const template = asTemplate(equals, scope, options);
  if (tokensIn(template).some((token) => isEmpty(lookUp(scope, token)))) return null;
  return expandText(template, scope, options);
}

function endingOf(outcome: AsyncBlock['on_done']): Ending {
  const message = outcome?.message ?? null;
  if (outcome?.mode === 'none') return { mode: 'none' };
  if (outcome?.mode !== 'tool' || outcome.tool === undefined) return { mode: 'chat', message };
  // What YAML holds is JSON.
  return { mode: 'tool', message, tool: outcome.tool, args: (outcome.args ?? {}) as JsonObject };
}
