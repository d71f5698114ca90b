import type { ForgeError } from '../../shared/errors.ts';
import type { Catalog, ToolEntry } from '../connectors/catalog.ts';
import type { Settings } from '../settings/settings.ts';
import { bareNamesOf, type CallScope } from './call-scope.ts';
import { CallRecord } from './call-record.ts';
import { expandTool, type Expanded } from './expand-tool.ts';
import type { FinishResult, Finished } from './finish-result.ts';
import type { Approval, Caller, Hooks } from './hooks.ts';
import { readScope } from './read-scope.ts';
import { resolveTool } from './resolve-tool.ts';
import type { RunTool } from './run-tool.ts';

export interface CallRequest {
  toolId: string;
  args: unknown;
  caller: Caller;
  /** Shows what would be sent, with secrets masked, and sends nothing. */
  dryRun?: boolean;
  /** An approval a person has given for this very call. */
  approvalId?: string | undefined;
  /** The id or name of the browser a browser tool should run in. */
  browser?: string | undefined;
  signal?: AbortSignal;
  onOutput?: (stream: 'stdout' | 'stderr', text: string) => void;
}

export interface CallDeps {
  catalog: Catalog;
  settings: Settings;
  hooks: Hooks;
  run: RunTool;
  finish: FinishResult;
}

/** How a call ended. An LLM can act on `failed`; `approval` waits for a person. */
export type CallAnswer =
  | ({ kind: 'done'; callId: string; durationMs: number } & Extract<Finished, { ok: true }>)
  | { kind: 'failed'; callId: string; durationMs: number; error: ForgeError }
  | { kind: 'approval'; callId: string; approvalId: string; reason: string }
  | { kind: 'dry-run'; callId: string; job: Expanded['job'] };

/** Everything a tool call goes through, whoever asked for it. Nobody else composes these stages. */
export async function callTool(deps: CallDeps, request: CallRequest): Promise<CallAnswer> {
  const { catalog, settings, hooks } = deps;
  const call = new CallRecord(request);
  try {
    const entry = resolveTool(catalog, request.toolId);
    call.stage('resolve', entry);
    const scope = readScope(entry.package, entry.tool, request.args, settings, catalog);
    call.stage('arguments');
    await hooks.policy(entry, scope.args, request.caller);
    call.stage('policy');
    await hooks.governance(entry, scope.args, request.caller);
    call.stage('governance');
    const expanded = expand(entry, scope, request.dryRun === true ? 'mask' : 'reveal');
    call.stage('expand', entry, expanded.job);
    if (request.dryRun === true) return call.dryRun(expanded.job);
    const approval = approve(hooks, entry, scope, request, expanded);
    call.stage('approval');
    if (!approval.allowed) return call.waits(approval);
    const response = await deps.run(expanded, { ...request, callId: call.id, ask: approval.ask });
    call.stage('run');
    call.answered(response);
    const finished = deps.finish(entry.tool, response);
    call.stage('result');
    return call.done(finished);
  } catch (error) {
    return call.failed(error);
  } finally {
    call.hand(hooks);
  }
}

function expand(entry: ToolEntry, scope: CallScope, secrets: 'reveal' | 'mask'): Expanded {
  return expandTool(entry, scope, { secrets, bareNames: bareNamesOf(entry.package) });
}

/**
 * A host that an argument names is put to a person first: it would otherwise receive the saved credentials of whatever it claims
 * to be. Then the call itself, if it is destructive; a yes to it is used up, so it is asked for last.
 */
function approve(
  hooks: Hooks,
  entry: ToolEntry,
  scope: CallScope,
  request: CallRequest,
  { hosts }: Expanded,
): Approval {
  const question = { entry, args: scope.args, caller: request.caller, approvalId: request.approvalId };
  for (const { host, from } of hosts) {
    const approval: Approval = from === 'argument' ? hooks.approveHost({ ...question, host }) : { allowed: true };
    if (!approval.allowed) return approval;
  }
  return entry.tool.destructive ? hooks.approve(question) : { allowed: true };
}
