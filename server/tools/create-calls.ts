import type { JsonValue } from '../../shared/json.ts';
import type { Approvals, Verdict } from '../approvals/approvals.ts';
import type { StandingLimits } from '../approvals/standing.ts';
import { createSessions, type SendLogin } from '../auth/sessions.ts';
import { createTokenExchange, type SendExchange } from '../auth/token-exchange.ts';
import type { CallLog } from '../calls/call-log.ts';
import { toolHash, type AcceptedDefinitions } from '../connectors/accepted-definitions.ts';
import type { Catalog, ToolEntry } from '../connectors/catalog.ts';
import { definedBy } from '../connectors/definition-hash.ts';
import type { ToolModes } from '../connectors/tool-modes.ts';
import type { HttpRequest, LongerYes, Runner } from '../runners/job.ts';
import type { Maskers } from '../secrets/maskers.ts';
import type { Settings } from '../settings/settings.ts';
import { callTitle, moreAbout } from './call-title.ts';
import { callTool, type CallAnswer, type CallRequest } from './call-tool.ts';
import { changeQuestion, tooMuch } from './change-question.ts';
import { withoutCredentials } from './credential-arguments.ts';
import { boundFiles } from './files/file-argument.ts';
import type { OpenFiles } from './files/open-files.ts';
import type { FinishResult } from './finish-result.ts';
import type { Approval, ApprovalRequest, Hooks, RecordedCall } from './hooks.ts';
import { intentEntry, logEntry } from './log-entry.ts';
import { createRunTool, type Runners } from './run-tool.ts';
import { createPatterns } from './patterns.ts';
import type { ProbeBridge } from './probe-site.ts';
import { testConnector, type TestRequest } from './test-connector.ts';
import type { TestOutcome } from './test-steps.ts';

export interface CreateCallsDeps {
  catalog: Catalog;
  toolModes: Pick<ToolModes, 'of'>;
  settings: Settings;
  runners: Runners;
  approvals: Approvals;
  accepted: Pick<AcceptedDefinitions, 'changeOf' | 'has' | 'news' | 'requireSameTest'>;
  log: CallLog;
  finish: FinishResult;
  maskers: Pick<Maskers, 'forge' | 'connector'>;
  bridge: ProbeBridge;
  /** The ports that Forge listens on. */
  ownPorts: () => readonly number[];
  openFiles: OpenFiles;
  /** Stage 9. */
  watch: Hooks['watch'];
  /** Told how every test of a connector ended. */
  onTested: (connectorId: string, outcome: TestOutcome) => void;
  /** Told of every call that was recorded. */
  onRecorded: (call: RecordedCall) => void;
}

const EXCHANGE_TIMEOUT_MS = 15_000;
/** It lies beside the bundled server. */
const PATTERN_SCRIPT = new URL('./pattern-thread.js', import.meta.url);

/** Calls with everything around them wired up. Governance has nothing to say until it exists. */
export function createCalls(deps: CreateCallsDeps) {
  const { catalog, toolModes, settings, runners, finish, maskers, ownPorts, openFiles } = deps;
  const send = loginSender(runners.http);
  const exchange = createTokenExchange({ send });
  const run = createRunTool(runners, exchange, createSessions({ send, match: createPatterns(PATTERN_SCRIPT) }));
  const stages = { catalog, toolModes, settings, hooks: createHooks(deps), run, finish, maskers, ownPorts, openFiles };
  let underWay = 0;
  const waiting: (() => void)[] = [];
  return {
    call: async (request: CallRequest): Promise<CallAnswer> => {
      underWay += 1;
      try {
        return await callTool(stages, request);
      } finally {
        underWay -= 1;
        if (underWay === 0) for (const resolve of waiting.splice(0)) resolve();
      }
    },
    /** Resolves when no call is under way: one whose client has left still ends its program and writes its entry. */
    settled: async (): Promise<void> => {
      if (underWay > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    test: async (connectorId: string, request: TestRequest): Promise<TestOutcome> => {
      const outcome = await testConnector(
        { catalog, settings, run, maskers, ownPorts, bridge: deps.bridge, accepted: deps.accepted },
        connectorId,
        request,
      );
      deps.onTested(connectorId, outcome);
      return outcome;
    },
  };
}

/** A request of an exchange or a login is one more request of the http runner; a redirect with a credential comes back as it is. */
function loginSender(http: Runner<HttpRequest>): SendLogin & SendExchange {
  return async (
    { method, url, headers, body, transport, ...more }: Parameters<SendExchange>[0] & Partial<Parameters<SendLogin>[0]>,
    signal,
  ) => {
    const { verifyTls = true, hostFrom = 'manifest', timeoutMs = EXCHANGE_TIMEOUT_MS } = transport ?? {};
    const job: HttpRequest = {
      ...{ protocol: 'http', method, url, headers: { ...headers }, body, timeoutMs, verifyTls, hostFrom },
      ...{ followRedirects: false, captureHeaders: [], ...more },
    };
    const response = await http.run(job, { signal });
    if (response.kind !== 'http') throw new TypeError('a login was answered by something else');
    return response;
  };
}

/** What a person allows while they are asked has both limits, always. */
function endOf({ maxUses, forMs }: LongerYes): StandingLimits {
  return { max_uses: maxUses, until: new Date(Date.now() + forMs).toISOString() };
}

function answerOf(verdict: Verdict): Approval {
  if (verdict.allowed) return { allowed: true };
  return { allowed: false, approvalId: verdict.approval.id, reason: verdict.approval.reason };
}

const WHO_READ: Partial<Record<ApprovalRequest['caller']['kind'], string>> = {
  mcp: 'This client',
  watch: 'The watch that makes this call',
};

/** Why a person is asked about a call, below what they are asked. */
function reasonOf({ entry: { connector, tool }, asks, caller, change, readFrom, risks }: ApprovalRequest): string {
  const unmarked = asks ? 'is set to Ask' : 'may change something';
  const what = tool.destructive ? 'changes something' : unmarked;
  // What it says about itself is what the person goes by.
  const said = change === null ? [] : ['What it says about itself has changed since you accepted it.'];
  const why = [`${connector.name}: ${tool.name} ${what}. ${moreAbout(tool)}`.trim(), ...said, ...risks].join('\n');
  if (readFrom === null) return why;
  return `${why}\n${WHO_READ[caller.kind] ?? 'This conversation'} has read from ${readFrom.join(', ')} before, and what was read there may have led to this call. That is why you are asked, whatever you have allowed.`;
}

/** A call that names hosts comes back with the approval of one of them first. */
function isAboutCall(approvals: Pick<Approvals, 'find'>, approvalId: string | undefined): boolean {
  return approvalId !== undefined && approvals.find(approvalId)?.kind === 'call';
}

/** Every difference of a connector from what was accepted; one that nobody has accepted at all is looked at on its page. */
function changeReason(accepted: CreateCallsDeps['accepted'], entry: ToolEntry): string {
  const { installed, package: pack } = entry;
  const diff = accepted.news(installed);
  if (diff === null || !accepted.has(pack.id)) throw tooMuch(pack.name, pack.id, 'or nobody has accepted it yet');
  return changeQuestion(entry, diff);
}

function createHooks({ approvals, accepted, log, maskers, watch, onRecorded }: CreateCallsDeps): Hooks {
  const question = (request: ApprovalRequest, reason: string) => {
    const { entry, args, caller, approvalId, sessionId, readFrom, files, onceOnly } = request;
    return {
      toolId: `${entry.connector.id}.${entry.tool.name}`,
      connectorId: entry.package.id,
      definitionSha256: toolHash(entry),
      // A yes is to these files as they are; no parameter can have a name with a space.
      args: files.size === 0 ? args : { ...args, 'sent files': boundFiles(files) },
      // The arguments themselves, which have been read as JSON and checked: nothing that a service has said, and no secret of another
      // connector, hides a part of them.
      redactedArgs: maskers.connector(entry.package.id).masks.sent.redactValue(withoutCredentials(args) as JsonValue),
      caller: caller.name,
      reason,
      approvalId,
      sessionId,
      readFrom,
      onceOnly,
    };
  };
  return {
    policy: () => undefined,
    governance: () => undefined,
    changeOf: (entry) => accepted.changeOf(entry),
    approveChange: (request) => {
      const { sha256: definitionSha256 } = definedBy(request.entry.package);
      const asked = question(request, changeReason(accepted, request.entry));
      return answerOf(approvals.changeCheck({ ...asked, definitionSha256 }));
    },
    approve: (request) => {
      const { tool } = request.entry;
      const reason = reasonOf(request);
      const asked = question(request, `${callTitle(request.entry.connector, tool, request.site)}\n${reason}`);
      // A browser asks in a window of its own, under the same title, where the person sees what they are asked about (K-10).
      if (tool.protocol === 'browser' && request.asks) {
        if (approvals.covers(asked)) return { allowed: true };
        // Whoever comes back with the approval has asked the person elsewhere.
        if (isAboutCall(approvals, request.approvalId)) return answerOf(approvals.check(asked));
        const remember = (yes: LongerYes): void => void approvals.allow(asked, endOf(yes));
        // What was read elsewhere may have led to this call; a yes to it is none to the calls of other conversations.
        return {
          allowed: true,
          ask: {
            reason,
            remember: request.readFrom === null ? remember : null,
            put: (onDecided) => approvals.put(asked, onDecided),
          },
        };
      }
      return answerOf(approvals.check(asked));
    },
    approveHost: (request) =>
      answerOf(approvals.hostCheck({ ...question(request, request.asked), host: request.host })),
    watch,
    intend: (call) => log.intend(intentEntry(call)),
    record: (call) => {
      log.record(logEntry(call));
      onRecorded(call);
    },
  };
}
