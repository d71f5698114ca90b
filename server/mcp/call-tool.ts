import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { Stop } from '../../shared/stop-signal.ts';
import type { ApprovalStatus } from '../approvals/approval.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { DecisionWaits, Settled } from '../approvals/decision-waits.ts';
import type { FileStore } from '../results/files.ts';
import type { CallAnswer, CallRequest } from '../tools/call-tool.ts';
import { callUntilSettled, type WaitingCall } from '../tools/call-until-settled.ts';
import { callWhileAsked, MAX_SILENT_MS, type WhileAsked } from '../tools/call-while-asked.ts';
import { createSitesRead } from '../tools/sites-read.ts';
import { doneContent, errorContent, waitingContent } from './call-content.ts';
import { filesFor } from './limited-reading.ts';
import type { Ask, Peer } from './peer.ts';
import { reportProgress, reportWaiting } from './progress.ts';
import type { ToolViews } from '../tools/catalogue/tool-views.ts';

export interface CallToolDeps {
  call: (request: CallRequest) => Promise<CallAnswer>;
  approvals: Pick<Approvals, 'find' | 'decide' | 'listen'>;
  waits: Pick<DecisionWaits, 'wait'>;
  /** The longest time a call is held until a person has decided. */
  holdMs: number;
  files: Pick<FileStore, 'find' | 'originOf'>;
  views: ToolViews;
  /** Where a person finds Forge's page. */
  address: () => string;
}

/** Runs a connector's tool and answers with its result as JSON text. One that is listed keeps to the output its entry promises. */
export type CallConnectorTool = (
  name: string,
  args: unknown,
  peer: Peer,
  options?: { isListed: boolean },
) => Promise<string>;

/** Few clients wait four minutes, even if progress tells them that the call still runs. */
const MAX_HELD_MS = 180_000;
const DECIDED: ReadonlySet<ApprovalStatus> = new Set(['approved', 'denied', 'used', 'expired']);

/** Calls of connectors' tools: through the pipeline, with a person asked where one is needed and can be. */
export function createCallConnectorTool(deps: CallToolDeps): CallConnectorTool {
  return async (name, args, peer, { isListed } = { isListed: true }) => {
    const { byName, never } = deps.views.last(peer.scope);
    const text = byName.get(name) ?? never.find((one) => one.name === name);
    const outcome = await callAsking(deps, text?.id ?? name, args, peer);
    switch (outcome.kind) {
      case 'done':
        if (outcome.watchId !== undefined) peer.onWatch?.(outcome.watchId);
        return doneContent(outcome, {
          files: filesFor(deps.files, peer.scope.limits),
          version: peer.version,
          hasOutput: isListed && text?.hasOutput === true,
        });
      case 'failed':
        return errorContent(outcome.error);
      case 'approval':
        return waitingContent(outcome.approvalId, outcome.reason, deps.address());
      case 'dry-run':
        throw new TypeError('a call that was not to be a dry run became one');
    }
  };
}

/** What a client asks for in tools/call. */
export function readCallParams(params: Record<string, unknown>): { name: string; args: unknown } {
  const { name, arguments: args } = params;
  if (typeof name !== 'string') throw new ForgeError('invalid_request', 'the name of the tool is missing');
  if (args !== undefined && !isRecord(args)) throw new ForgeError('invalid_request', 'the arguments must be an object');
  return { name, args };
}

async function callAsking(deps: CallToolDeps, toolId: string, args: unknown, peer: Peer): Promise<CallAnswer> {
  const caller = { kind: 'mcp' as const, name: peer.name, limits: peer.scope.limits };
  const once = (approvalId: string | undefined): Promise<CallAnswer> =>
    askingMeanwhile(deps, peer, (asking) => send({ toolId, args, caller, approvalId, ...asking }));
  const send = (request: CallRequest): Promise<CallAnswer> => {
    const { call } = createSitesRead({ read: peer.read, call: deps.call });
    const reporting = reportProgress(peer, toolId);
    if (reporting === null) return call(request);
    return call({ ...request, onOutput: reporting.onOutput }).finally(reporting.end);
  };
  const settle = async ({ approvalId }: WaitingCall): Promise<Settled> => {
    const askedAt = performance.now();
    if (peer.ask !== null && (await askAtClient(deps, approvalId, peer.ask)) === 'decided') return 'decided';
    // Nobody has decided at the client: some dismiss every form by themselves. Forge's own page still asks.
    return holdForDecision(deps, approvalId, peer, performance.now() - askedAt);
  };
  return callUntilSettled({ once, settle, approvalId: peer.resumes ?? undefined });
}

/**
 * A browser asks while the call waits, and so does the client. Where a client asks between two requests, the call ends with the question; one that cannot ask
 * anybody is held no longer than for any other tool.
 */
async function askingMeanwhile(
  deps: CallToolDeps,
  peer: Peer,
  call: (asked: WhileAsked) => Promise<CallAnswer>,
): Promise<CallAnswer> {
  const failures: Error[] = [];
  const { ask, signal } = peer;
  let timer: NodeJS.Timeout | undefined;
  const outcome = await callWhileAsked({
    ...{ signal, call },
    holdMs: ask === null ? heldMs(deps, peer) : null,
    onAsked: (approvalId, _reason, leave) => {
      if (ask === null) return;
      const askedAt = performance.now();
      askAtClient(deps, approvalId, ask).then(
        (settled) => {
          // Only the browser still asks, and the client hears nothing of it.
          if (settled === 'later') timer = setTimeout(leave, leftMs(deps, peer, performance.now() - askedAt)).unref();
        },
        (error: unknown) => {
          failures.push(error instanceof Error ? error : new Error(String(error)));
          leave();
        },
      );
    },
  }).finally(() => clearTimeout(timer));
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  return outcome;
}

/** How long a client that cannot ask anybody, or does not, waits for a person. */
function heldMs({ holdMs }: Pick<CallToolDeps, 'holdMs'>, { progress }: Pick<Peer, 'progress'>): number {
  return Math.min(holdMs, progress === null ? MAX_SILENT_MS : MAX_HELD_MS);
}

function leftMs(deps: Pick<CallToolDeps, 'holdMs'>, peer: Pick<Peer, 'progress'>, passedMs: number): number {
  return Math.max(0, heldMs(deps, peer) - passedMs);
}

/** Holds the call of a client where nobody has answered until a person has decided in Forge. */
async function holdForDecision(deps: CallToolDeps, approvalId: string, peer: Peer, passedMs: number): Promise<Settled> {
  const { progress, signal } = peer;
  const stopTelling = reportWaiting({ progress }, `waiting for a person to approve it in Forge (${approvalId})`);
  try {
    return await deps.waits.wait(approvalId, { signal, limitMs: leftMs(deps, peer, passedMs) });
  } finally {
    stopTelling();
  }
}

/** Puts the question to the person at the client. If they do not answer there, it goes on waiting in Forge. */
async function askAtClient({ approvals }: CallToolDeps, approvalId: string, ask: Ask): Promise<Settled> {
  const approval = approvals.find(approvalId);
  if (approval?.status !== 'pending') return 'later';
  const moot = new Stop();
  const silence = approvals.listen(({ id, status }) => {
    if (id === approvalId && DECIDED.has(status)) moot.abort(new ForgeError('cancelled', 'it was decided in Forge'));
  });
  try {
    const decision = await ask(approval, moot);
    // Somebody was faster on the page or on the command line; what they said counts.
    if (moot.aborted) return 'decided';
    if (decision === 'later') return 'later';
    approvals.decide(approvalId, { decision });
  } catch (error) {
    if (!isForgeError(error, 'conflict') && !isForgeError(error, 'approval_expired')) throw error;
  } finally {
    silence();
  }
  return 'decided';
}
