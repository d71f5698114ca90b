import type { ForgeError } from '../../shared/errors.ts';
import { NEVER, type StopSignal } from '../../shared/stop-signal.ts';
import type { Catalog, ToolEntry } from '../connectors/catalog.ts';
import type { Settings } from '../settings/settings.ts';
import { bareNamesOf, type CallScope } from './call-scope.ts';
import { CallRecord } from './call-record.ts';
import { isReadOnlyTool, requireWithinLimits } from './caller-limits.ts';
import { hostOfPattern } from './expand-browser.ts';
import { expandTool, type Expanded } from './expand-tool.ts';
import type { FinishResult, Finished } from './finish-result.ts';
import type { Approval, Caller, Hooks, WatchOrigin, WatchPlace } from './hooks.ts';
import { previewJob, type Preview } from './preview-job.ts';
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
  /** What a watch belongs to that this call leaves behind, or `none` when it may leave none. */
  watch?: WatchOrigin | 'none';
  /**
   * Told whom the call would talk to, before it does. Answers the other sites whose content may have led to it; a person is then asked
   * whatever the tool says and whatever they have allowed.
   */
  otherSites?: ((call: { site: string; isReadOnly: boolean }) => readonly string[]) | undefined;
  signal?: StopSignal;
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
  | ({ kind: 'done'; callId: string; durationMs: number; watchId?: string } & Extract<Finished, { ok: true }>)
  | { kind: 'failed'; callId: string; durationMs: number; error: ForgeError }
  | { kind: 'approval'; callId: string; approvalId: string; reason: string }
  | { kind: 'dry-run'; callId: string; job: Preview };

/** Everything a tool call goes through, whoever asked for it. Nobody else composes these stages. */
export async function callTool(deps: CallDeps, request: CallRequest): Promise<CallAnswer> {
  const { catalog, settings, hooks } = deps;
  const call = new CallRecord(request);
  let place: WatchPlace | null = null;
  try {
    const entry = resolveTool(catalog, request.toolId, request.caller.limits);
    call.stage('resolve', entry);
    // Before the arguments: what is wrong with them says what the tool takes.
    requireWithinLimits(entry, request.caller.limits);
    const scope = readScope(entry.package, entry.tool, request.args, settings, catalog);
    call.stage('arguments');
    // Waiting costs time even where there is nothing to wait for.
    const policy = hooks.policy(entry, scope.args, request.caller);
    if (policy !== undefined) await policy;
    call.stage('policy');
    const governance = hooks.governance(entry, scope.args, request.caller);
    if (governance !== undefined) await governance;
    call.stage('governance');
    const expanded = expand(entry, scope, request.dryRun === true ? 'mask' : 'reveal');
    call.stage('expand', entry, expanded.job);
    if (request.dryRun === true) return call.dryRun(previewJob(expanded));
    const approval = approve(hooks, entry, scope, request, expanded);
    call.stage('approval');
    if (!approval.allowed) return call.waits(approval);
    place = hooks.watch({
      entry,
      caller: request.caller,
      browser: request.browser,
      origin: request.watch ?? NO_PARENT,
    });
    const { signal = NEVER, onOutput, browser } = request;
    const response = await deps.run(expanded, { signal, onOutput, browser, callId: call.id, ask: approval.ask });
    call.stage('run');
    call.answered(response);
    const finished = deps.finish(entry, response);
    call.stage('result');
    return call.done(finished, place.begin(call.id, scope, finished));
  } catch (error) {
    return call.failed(error);
  } finally {
    place?.release();
    call.hand(hooks);
  }
}

const ALLOWED: Approval = { allowed: true };
const NO_PARENT: WatchOrigin = { sessionId: null, parentId: null, depth: 0 };

function expand(entry: ToolEntry, scope: CallScope, secrets: 'reveal' | 'mask'): Expanded {
  return expandTool(entry, scope, { secrets, bareNames: bareNamesOf(entry.package) });
}

/**
 * A host that an argument names is put to a person first: it would otherwise receive the saved credentials of whatever it claims
 * to be. Then the call itself, if it is destructive; a yes to it is used up, so it is asked for last.
 */
function approve(hooks: Hooks, entry: ToolEntry, scope: CallScope, request: CallRequest, expanded: Expanded): Approval {
  const site = siteOf(entry, expanded);
  const others = request.otherSites?.({ site, isReadOnly: isReadOnlyTool(entry.tool) }) ?? [];
  const hosts = expanded.hosts.filter(({ from }) => from === 'argument');
  if (hosts.length === 0 && others.length === 0 && !entry.tool.destructive) return ALLOWED;
  const question = {
    ...{ entry, args: scope.args, caller: request.caller, approvalId: request.approvalId },
    site: expanded.job.protocol === 'shell' ? null : site,
    sessionId: request.watch === undefined || request.watch === 'none' ? null : request.watch.sessionId,
    readFrom: others.length === 0 ? null : others,
  };
  for (const { host } of hosts) {
    const approval = hooks.approveHost({ ...question, host });
    if (!approval.allowed) return approval;
  }
  return entry.tool.destructive || others.length > 0 ? hooks.approve(question) : ALLOWED;
}

/** Whom a call talks to: a host, or the connector itself where no host is known. */
function siteOf({ connector }: ToolEntry, { job, hosts }: Expanded): string {
  const host = job.protocol === 'ssh' ? hosts.at(-1) : hosts[0];
  if (host !== undefined) return host.host;
  // A script without a page of its own runs in a tab that is open.
  return job.protocol === 'browser' ? hostOfPattern(job.acquire.host_match) : connector.id;
}
