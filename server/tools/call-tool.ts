import type { ForgeError } from '../../shared/errors.ts';
import { NEVER, type StopSignal } from '../../shared/stop-signal.ts';
import type { Catalog, ToolEntry } from '../connectors/catalog.ts';
import type { ToolModes, ToolTerms } from '../connectors/tool-modes.ts';
import type { Maskers } from '../secrets/maskers.ts';
import type { Settings } from '../settings/settings.ts';
import { AskedMeanwhile } from './asked-meanwhile.ts';
import { bareNamesOf, type CallScope } from './call-scope.ts';
import { CallRecord } from './call-record.ts';
import { credentialsOf } from './credential-arguments.ts';
import { requireWithinLimits } from './caller-limits.ts';
import { hostOfPattern } from './expand-browser.ts';
import { expandTool, type Expanded } from './expand-tool.ts';
import { fileLine, type FileArguments } from './files/file-argument.ts';
import { fileNames, type OpenedFiles, type OpenFiles } from './files/open-files.ts';
import type { FinishResult, Finished } from './finish-result.ts';
import type { HostSource } from './host-source.ts';
import { hostQuestion, namedHosts } from './named-hosts.ts';
import type { Approval, Caller, Hooks, WatchOrigin, WatchPlace } from './hooks.ts';
import { previewJob, type Preview } from './preview-job.ts';
import { readScope } from './read-scope.ts';
import { requireNotNever } from './require-not-never.ts';
import { readEdited, resolveTool } from './resolve-tool.ts';
import { redactOutput, type RedactedOutput } from './redact-answer.ts';
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
  /**
   * Told when a person is asked while the call waits for their answer; who can ask somebody does, and decides the approval. `leave` ends the
   * call, at once or after some time, and leaves its question open.
   */
  onAsked?: ((approvalId: string, reason: string, leave: (afterMs?: number) => void) => void) | undefined;
  /** How long the call is held once a person is asked meanwhile; without it, as long as the question is open. */
  holdMs?: number | undefined;
}

export interface CallDeps {
  catalog: Catalog;
  toolModes: Pick<ToolModes, 'of'>;
  settings: Settings;
  hooks: Hooks;
  run: RunTool;
  finish: FinishResult;
  maskers: Pick<Maskers, 'forge' | 'connector'>;
  ownPorts: () => readonly number[];
  openFiles: OpenFiles;
}

/** How a call ended. An LLM can act on `failed`; `approval` waits for a person. */
export type CallAnswer =
  | ({ kind: 'done'; callId: string; durationMs: number; watchId?: string } & Extract<Finished, { ok: true }>)
  | { kind: 'failed'; callId: string; durationMs: number; error: ForgeError }
  /** `wasHeld`: the caller has waited for the answer already. */
  | { kind: 'approval'; callId: string; approvalId: string; reason: string; wasHeld?: true }
  | { kind: 'dry-run'; callId: string; job: Preview };

/** Everything a tool call goes through, whoever asked for it. Nobody else composes these stages. */
export async function callTool(deps: CallDeps, request: CallRequest): Promise<CallAnswer> {
  const { catalog, toolModes, settings, hooks } = deps;
  const call = new CallRecord(request, deps.maskers.forge);
  let place: WatchPlace | null = null;
  let output: RedactedOutput | undefined;
  let opened: OpenedFiles | undefined;
  let asked: AskedMeanwhile | undefined;
  try {
    const edited = readEdited(deps, request.toolId);
    if (edited !== null) await edited;
    const entry = resolveTool(deps, request.toolId, request.caller.limits);
    const secrets = deps.maskers.connector(entry.package.id);
    call.masks = secrets.masks;
    call.stage('resolve', entry);
    // Before the arguments: what is wrong with them says what the tool takes.
    requireWithinLimits(entry, request.caller.limits, toolModes);
    const terms = requireNotNever(entry, toolModes);
    const scope = readScope(entry.package, entry.tool, request.args, settings, catalog);
    const masks = secrets.ofCall(scope.args, credentialsOf(entry.tool, scope.args));
    call.masks = masks;
    call.stage('arguments');
    // Waiting costs time even where there is nothing to wait for.
    const policy = hooks.policy(entry, scope.args, request.caller);
    if (policy !== undefined) await policy;
    call.stage('policy');
    const governance = hooks.governance(entry, scope.args, request.caller);
    if (governance !== undefined) await governance;
    call.stage('governance');
    if (fileNames(entry.tool).length > 0) {
      const how = { limits: request.caller.limits, reads: request.dryRun !== true };
      opened = await deps.openFiles(entry.tool, scope.args, how);
      scope.files = opened.files;
      call.stage('files');
    }
    const expand = (secrets: 'reveal' | 'mask'): Expanded =>
      expandTool(entry, scope, { secrets, bareNames: bareNamesOf(entry.package), ownPorts: deps.ownPorts() });
    const expanded = expand(request.dryRun === true ? 'mask' : 'reveal');
    call.stage('expand', entry, () => expanded.shown?.() ?? previewJob(expand('mask')));
    if (request.dryRun === true) return call.dryRun(previewJob(expanded));
    const approval = approve(hooks, entry, terms, scope, request, expanded, namedHosts(expanded, deps.ownPorts()));
    call.stage('approval');
    if (!approval.allowed) return call.waits(approval);
    place = hooks.watch({
      entry,
      caller: request.caller,
      browser: request.browser,
      site: siteOf(entry, expanded),
      origin: request.watch ?? NO_PARENT,
    });
    if (!terms.onlyReads) await call.intend(hooks);
    const { signal = NEVER, browser } = request;
    if (approval.ask !== undefined) asked = new AskedMeanwhile(signal, request);
    call.begun();
    if (request.onOutput !== undefined) output = redactOutput(request.onOutput, masks.received);
    const response = await deps.run(expanded, {
      signal: asked?.signal ?? signal,
      onOutput: output?.push,
      browser,
      callId: call.id,
      ask: approval.ask,
      onAsked: asked?.onAsked,
      masker: masks.received,
      onBearer: (bearer) => secrets.addPassing(bearer),
    });
    call.stage('run');
    call.answered(response);
    const finishing = deps.finish(entry, response, masks.received);
    const finished = finishing instanceof Promise ? await finishing : finishing;
    call.stage('result');
    return call.done(finished, place.begin(call.id, scope, finished));
  } catch (error) {
    const failed = call.failed(error);
    return asked?.answerOf(failed) ?? failed;
  } finally {
    asked?.end();
    output?.end();
    opened?.release();
    place?.release();
    call.hand(hooks);
  }
}

const ALLOWED: Approval = { allowed: true };
const NO_FILES: FileArguments = new Map();
const NOTHING_SENT: { sent: readonly string[]; outside: readonly string[] } = { sent: [], outside: [] };
const NO_PARENT: WatchOrigin = { sessionId: null, parentId: null, depth: 0 };

/**
 * What has changed since it was accepted is put to a person first. Then a host that an argument names: it would otherwise receive the
 * saved credentials of whatever it claims to be. Then the call itself, if its mode is Ask, as it always is for a destructive tool; a yes
 * to it is used up, so it is asked for last.
 */
function approve(
  hooks: Hooks,
  entry: ToolEntry,
  { mode, onlyReads }: ToolTerms,
  scope: CallScope,
  request: CallRequest,
  expanded: Expanded,
  hosts: readonly HostSource[],
): Approval {
  const site = siteOf(entry, expanded);
  const files = scope.files ?? NO_FILES;
  const others = readElsewhere(entry, files, request, { site, isReadOnly: onlyReads && files.size === 0 });
  const { sent, outside } = files.size === 0 ? NOTHING_SENT : filesSent(files, site);
  const risks = outside.length === 0 ? expanded.risks : [...expanded.risks, ...outside];
  const change = hooks.changeOf(entry);
  const hasChanged = change?.asks === true;
  const asks = mode === 'ask';
  const isAsked = asks || others.length > 0 || risks.length > 0;
  if (hosts.length === 0 && !hasChanged && !isAsked) return ALLOWED;
  const question = {
    ...{ entry, change, args: scope.args, caller: request.caller, approvalId: request.approvalId, asks },
    site: expanded.job.protocol === 'shell' ? null : site,
    sessionId: request.watch === undefined || request.watch === 'none' ? null : request.watch.sessionId,
    readFrom: others.length === 0 ? null : others,
    risks: [...risks, ...sent],
    ...{ files, onceOnly: outside.length > 0 },
  };
  if (hasChanged) {
    const approval = hooks.approveChange(question);
    if (!approval.allowed) return approval;
  }
  for (const { host } of hosts) {
    const approval = hooks.approveHost({ ...question, host, asked: hostQuestion(entry, host, scope) });
    if (!approval.allowed) return approval;
  }
  return isAsked ? hooks.approve(question) : ALLOWED;
}

/** What a person is told about files: those from outside the folders they allowed are asked about, the others only named. */
function filesSent(files: FileArguments, site: string): typeof NOTHING_SENT {
  const lines = (asks: boolean): string[] =>
    [...files.values()].filter((file) => file.asks === asks).map((file) => `Sends ${fileLine(file)} to ${site}.`);
  return { sent: lines(false), outside: lines(true) };
}

/** The other sites whose content may have led to a call, or leaves with it: what sends a file does more than read. */
function readElsewhere(
  { connector, package: pack }: ToolEntry,
  files: FileArguments,
  { otherSites }: CallRequest,
  call: { site: string; isReadOnly: boolean },
): readonly string[] {
  if (otherSites === undefined) return [];
  const read = otherSites(call);
  if (files.size === 0) return read;
  const foreign = [...files.values()].flatMap(({ from }) => {
    if (from === null || from.includes(connector.id) || from.includes(pack.id)) return [];
    return [from[0] ?? 'a site that is no longer known'];
  });
  return [...new Set([...read, ...foreign])];
}

/** Whom a call talks to: a host, or the connector itself where no host is known. */
function siteOf({ connector }: ToolEntry, { job, hosts }: Expanded): string {
  const host = job.protocol === 'ssh' ? hosts.at(-1) : hosts[0];
  if (host !== undefined) return host.host;
  // A script without a page of its own runs in a tab that is open.
  return job.protocol === 'browser' ? hostOfPattern(job.acquire.host_match) : connector.id;
}
