import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { isRecord, ownValue, type JsonObject, type JsonValue } from '../../shared/json.ts';
import type { Settled } from '../approvals/decision-waits.ts';
import type { ResultStore } from '../results/handles.ts';
import { BUILTIN, BUILTIN_TITLES } from '../tools/catalogue/builtin-definitions.ts';
import { doneText, failureText, waitingFailure } from '../tools/catalogue/call-text.ts';
import { describeTools, findTools, readCall, readResult } from '../tools/catalogue/finders.ts';
import type { ToolText } from '../tools/catalogue/tool-text.ts';
import type { Scope, ToolView, ToolViews } from '../tools/catalogue/tool-views.ts';
import type { CallAnswer, CallRequest } from '../tools/call-tool.ts';
import { callUntilSettled } from '../tools/call-until-settled.ts';
import type { Caller } from '../tools/hooks.ts';
import type { ToolAnswer, ToolExecutor, ToolRequest, ToolResultData, ToolSpec } from './adapter.ts';

/** Runs a call through the pipeline. */
export type CallTool = (request: CallRequest) => Promise<CallAnswer>;

/** Puts an approval to a person and waits until they have decided, or for as long as it makes sense to. */
type AwaitApproval = (approval: { approvalId: string; reason: string }, signal: AbortSignal) => Promise<Settled>;

/** Which tools a task gets: all of them, none, or those of these names, ids and connectors. */
export type ToolChoice = 'all' | 'none' | readonly string[];

/** What a task's tools tell of themselves while they run. */
type ToolTelling =
  | { type: 'execution.tool_call'; data: { id: string; name: string; title?: string; args: JsonValue } }
  | { type: 'execution.tool_output'; data: { id: string; stream: 'stdout' | 'stderr'; text: string } }
  | { type: 'execution.tool_approval'; data: { id: string; approvalId: string; reason: string } }
  | { type: 'execution.tool_result'; data: ToolResultData };

export interface ToolUse {
  caller: Caller;
  choice: ToolChoice;
  signal: AbortSignal;
  tell: (event: ToolTelling) => void;
  /** In place of the pipeline's own, for whoever adds rules of their own in front of it. */
  call?: CallTool | undefined;
  /** Without it, nobody is there to be asked: the model is told that the call waits. */
  awaitApproval?: AwaitApproval | undefined;
  /** How a connector's result is put to the model. */
  present?: ((answer: ToolAnswer & { toolId: string; code: string | null }) => string) | undefined;
}

interface ModelToolsDeps {
  views: ToolViews;
  results: Pick<ResultStore, 'read'>;
  call: CallTool;
  /** Where a person finds Forge's page. */
  address: () => string;
}

/** `presented` is what the model reads where that is more than the result itself. */
type Outcome = ToolAnswer & { presented?: string } & Pick<
    ToolResultData,
    'callId' | 'toolId' | 'code' | 'handle' | 'loginTab'
  >;

export type ModelTools = ReturnType<typeof createModelTools>;

/** The tools of the registry for a model: shown as MCP clients are shown them, called through the one pipeline. */
export function createModelTools(deps: ModelToolsDeps) {
  /** `known` are names that the conversation has called before: they stay on offer when there are too many tools to list. */
  const offer = (
    choice: ToolChoice,
    caller: Caller,
    known: ReadonlySet<string> = new Set(),
  ): { specs: ToolSpec[]; instructions: string } => {
    if (choice === 'none') return { specs: [], instructions: '' };
    const view = deps.views.look(scopeOf(caller));
    if (choice === 'all') return { specs: withKnown(view, known), instructions: view.instructions };
    const specs = view.tools.filter((tool) => isChosen(tool, choice)).map(({ json }) => specOf(json));
    const result = specsOf(view).filter(({ name }) => name === BUILTIN.readResult);
    return { specs: [...specs, ...result], instructions: '' };
  };

  const executor =
    (use: ToolUse): ToolExecutor =>
    async (request) => {
      const started = performance.now();
      const { id, name } = request;
      // Whatever a model sends as arguments was JSON.
      const args = (request.args ?? null) as JsonValue;
      const title = titleOf(deps.views.last(scopeOf(use.caller)), name, args);
      const tell = afterItsStart(use, { type: 'execution.tool_call', data: { id, name, ...title, args } });
      const { ok, text, presented = text, ...about } = await answered(() => runTool(deps, { ...use, tell }, request));
      const durationMs = performance.now() - started;
      tell({ type: 'execution.tool_result', data: { id, name, ok, text, durationMs, ...about } });
      return { ok, text: presented };
    };

  return { offer, executor };
}

/**
 * Tells of a call when its request has left: a page that is told wakes up, and would often have the processor before the tool does.
 * Whatever else the call tells comes after that.
 */
function afterItsStart({ tell, signal }: Pick<ToolUse, 'tell' | 'signal'>, call: ToolTelling): ToolUse['tell'] {
  let isTold = false;
  let failure: Error | null = null;
  const begin = (): void => {
    if (isTold) return;
    isTold = true;
    signal.removeEventListener('abort', begin);
    try {
      tell(call);
    } catch (error) {
      // Nobody waits for this turn of the event loop; the next one who tells something hears of it.
      failure = error instanceof Error ? error : new Error(String(error));
    }
  };
  // A connection that is kept open is written to at the end of this turn of the event loop, so it is the next one's end that counts.
  setImmediate(() => setImmediate(begin));
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin);
  return (event) => {
    begin();
    if (failure !== null) throw failure;
    tell(event);
  };
}

/** What people read of a tool: its title, and that of the tool it calls where it does nothing else. */
function titleOf({ byName, tools }: ToolView, name: string, args: JsonValue): { title?: string } {
  const wanted = name === BUILTIN.call ? ownValue(args, 'tool') : name;
  if (typeof wanted !== 'string') return {};
  const tool = byName.get(wanted) ?? tools.find(({ id }) => id === wanted);
  const title = tool?.title ?? BUILTIN_TITLES.get(name);
  return title === undefined ? {} : { title };
}

/** What only a person can mend ends the task; everything else is something for the model to read. */
async function answered(run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    const known = isForgeError(error) ? error : new ForgeError('internal', 'something went wrong inside Forge');
    return { ok: false, text: failureText(known), code: known.code };
  }
}

async function runTool(deps: ModelToolsDeps, use: ToolUse, { id, name, args }: ToolRequest): Promise<Outcome> {
  const input = isRecord(args) ? args : {};
  const now = () => deps.views.look(scopeOf(use.caller)).tools.filter((tool) => isChosen(tool, use.choice));
  switch (name) {
    case BUILTIN.search:
      return { ok: true, text: findTools(now(), input) };
    case BUILTIN.describe:
      return { ok: true, text: describeTools(now(), input) };
    case BUILTIN.readResult: {
      const text = await readResult(deps.results, input);
      return { ok: true, text, presented: use.present?.({ ok: true, text, toolId: name, code: null }) ?? text };
    }
    case BUILTIN.call: {
      const call = readCall(input);
      return callConnectorTool(deps, use, { id, name: call.tool, args: call.args });
    }
    default:
      return callConnectorTool(deps, use, { id, name, args: args ?? {} });
  }
}

async function callConnectorTool(
  deps: ModelToolsDeps,
  use: ToolUse,
  { id, name, args }: ToolRequest,
): Promise<Outcome> {
  const scope = scopeOf(use.caller);
  // The model has its names from the last look, and the pipeline looks at the tool's own files: all of them are read for a new name only.
  const tool =
    toolCalled(name, use.choice, deps.views.last(scope)) ?? toolCalled(name, use.choice, deps.views.look(scope));
  if (tool === undefined)
    throw new ForgeError('tool_not_found', `there is no tool ${JSON.stringify(name.slice(0, 140))} for this task`, {
      hint: `Use one of the tools you were given, or find one with ${BUILTIN.search}.`,
    });
  const outcome = await callAsking(deps, use, id, tool.id, args);
  const about = { toolId: tool.id, callId: outcome.callId };
  const put = (ok: boolean, text: string, code: string | null) => ({
    ...{ ok, text, presented: use.present?.({ ok, text, toolId: tool.id, code }) ?? text },
  });
  switch (outcome.kind) {
    case 'done':
      return {
        ...put(true, doneText(outcome), null),
        ...about,
        ...(outcome.handle === undefined ? {} : { handle: outcome.handle }),
      };
    case 'failed':
      return {
        ...put(false, failureText(outcome.error), outcome.error.code),
        ...{ code: outcome.error.code, ...about, ...loginTabOf(outcome.error.details) },
      };
    case 'approval': {
      const failure = waitingFailure(outcome.approvalId, outcome.reason, deps.address());
      return { ok: false, text: failureText(failure), code: failure.code, ...about };
    }
    case 'dry-run':
      throw new TypeError('a call that was not to be a dry run became one');
  }
}

/** The tab that a browser's `login_required` names. */
function loginTabOf(details: unknown): Pick<ToolResultData, 'loginTab'> {
  const [tab_id, browser_id] = [ownValue(details, 'tab_id'), ownValue(details, 'browser_id')];
  return typeof tab_id === 'number' && typeof browser_id === 'string' ? { loginTab: { browser_id, tab_id } } : {};
}

/** Tells of each question, and waits for the person where somebody is there to be asked. */
async function callAsking(
  deps: ModelToolsDeps,
  use: ToolUse,
  id: string,
  toolId: string,
  args: unknown,
): Promise<CallAnswer> {
  const { caller, signal, tell, awaitApproval, call = deps.call } = use;
  const onOutput = (stream: 'stdout' | 'stderr', text: string) =>
    tell({ type: 'execution.tool_output', data: { id, stream, text } });
  const onAsked = (approvalId: string, reason: string) =>
    tell({ type: 'execution.tool_approval', data: { id, approvalId, reason } });
  return callUntilSettled({
    // A browser asks while the call waits; its question is shown like any other.
    once: (approvalId) => call({ toolId, args, caller, approvalId, signal, onOutput, onAsked }),
    settle: async ({ approvalId, reason }) => {
      onAsked(approvalId, reason);
      return awaitApproval?.({ approvalId, reason }, signal);
    },
  });
}

function scopeOf({ limits }: Caller): Scope {
  return { limits, connectors: [] };
}

/** One that is set to Never is found as well, so that the pipeline says so and writes it down. */
function toolCalled(name: string, choice: ToolChoice, { tools, never }: ToolView): ToolText | undefined {
  const by = (key: 'name' | 'id', among: readonly ToolText[]) =>
    among.find((tool) => tool[key] === name && isChosen(tool, choice));
  return by('name', tools) ?? by('id', tools) ?? by('name', never) ?? by('id', never);
}

function isChosen({ id, name, connector, package: pack }: ToolText, choice: ToolChoice): boolean {
  if (choice === 'all' || choice === 'none') return choice === 'all';
  return [id, name, connector.id, pack.id].some((known) => choice.includes(known));
}

const specs = new WeakMap<ToolView, ToolSpec[]>();

function specsOf(view: ToolView): ToolSpec[] {
  let found = specs.get(view);
  if (found === undefined) {
    // The view's own text.
    const { tools } = JSON.parse(view.json) as { tools: Described[] };
    found = tools.map(toSpec);
    specs.set(view, found);
  }
  return found;
}

/** Models call again what they have called before, and most runtimes refuse a name that they were not given. */
function withKnown(view: ToolView, known: ReadonlySet<string>): ToolSpec[] {
  const listed = specsOf(view);
  const names = new Set(listed.map(({ name }) => name));
  const missed = [...known].flatMap((name) => (names.has(name) ? [] : (view.byName.get(name) ?? [])));
  return [...missed.map(({ json }) => specOf(json)), ...listed];
}

interface Described {
  name: string;
  description?: string;
  inputSchema: JsonObject;
}

function specOf(json: string): ToolSpec {
  return toSpec(JSON.parse(json) as Described); // written by tool-text.ts
}

function toSpec({ name, description = '', inputSchema }: Described): ToolSpec {
  return { name, description, inputSchema };
}
