import type { JsonValue } from '../../shared/json.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { StandingLimits } from '../approvals/standing.ts';
import { createTokenExchange } from '../auth/token-exchange.ts';
import type { CallLog } from '../calls/call-log.ts';
import type { Catalog } from '../connectors/catalog.ts';
import type { HttpRequest, LongerYes, Runner } from '../runners/job.ts';
import type { Redactor } from '../secrets/redact.ts';
import type { Settings } from '../settings/settings.ts';
import { callTitle, moreAbout } from './call-title.ts';
import { callTool, type CallAnswer, type CallRequest } from './call-tool.ts';
import { credentialsIn, withoutCredentials } from './credential-arguments.ts';
import type { FinishResult } from './finish-result.ts';
import type { ApprovalRequest, Hooks, RecordedCall } from './hooks.ts';
import { logEntry } from './log-entry.ts';
import { redactAnswer, redactOutput } from './redact-answer.ts';
import { createRunTool, type Runners } from './run-tool.ts';
import type { ProbeBridge } from './probe-site.ts';
import { testConnector, type TestRequest } from './test-connector.ts';
import type { TestOutcome } from './test-steps.ts';

export interface CreateCallsDeps {
  catalog: Catalog;
  settings: Settings;
  runners: Runners;
  approvals: Approvals;
  log: CallLog;
  finish: FinishResult;
  redactor: Redactor;
  bridge: ProbeBridge;
  /** Stage 9. */
  watch: Hooks['watch'];
  /** Told of every call that was recorded. */
  onRecorded: (call: RecordedCall) => void;
}

const EXCHANGE_TIMEOUT_MS = 15_000;

/** Calls with everything around them wired up. Governance has nothing to say until it exists. */
export function createCalls(deps: CreateCallsDeps) {
  const { catalog, settings, runners, finish } = deps;
  const exchange = createTokenExchange({ send: exchangeSender(runners.http) });
  const run = createRunTool(runners, {
    get: async (request, options) => {
      const authorization = await exchange.get(request, options);
      deps.redactor.addPassing(authorization.bearer);
      return authorization;
    },
  });
  const stages = { catalog, settings, hooks: createHooks(deps), run, finish };
  let underWay = 0;
  const waiting: (() => void)[] = [];
  return {
    call: async (request: CallRequest): Promise<CallAnswer> => {
      const output = request.onOutput === undefined ? null : redactOutput(request.onOutput, deps.redactor);
      underWay += 1;
      try {
        const given = output === null ? request : { ...request, onOutput: output.push };
        return redactAnswer(await callTool(stages, given), deps.redactor);
      } finally {
        output?.end();
        underWay -= 1;
        if (underWay === 0) for (const resolve of waiting.splice(0)) resolve();
      }
    },
    /** Resolves when no call is under way: one whose client has left still ends its program and writes its entry. */
    settled: async (): Promise<void> => {
      if (underWay > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    test: (connectorId: string, request: TestRequest): Promise<TestOutcome> =>
      testConnector(
        { catalog, settings, run, bridge: deps.bridge, redact: (text) => deps.redactor.redact(text) },
        connectorId,
        request,
      ),
  };
}

/** An exchange is one more request of the http runner; a redirect of it comes back as it is. */
function exchangeSender(http: Runner<HttpRequest>): Parameters<typeof createTokenExchange>[0]['send'] {
  return async ({ method, url, headers, body, transport }, signal) => {
    const { verifyTls = true, hostFrom = 'manifest', timeoutMs = EXCHANGE_TIMEOUT_MS } = transport ?? {};
    const job: HttpRequest = {
      protocol: 'http',
      method,
      url,
      headers: { ...headers },
      body,
      timeoutMs,
      verifyTls,
      hostFrom,
      followRedirects: false,
      captureHeaders: [],
    };
    const response = await http.run(job, { signal });
    if (response.kind !== 'http') throw new TypeError('an exchange was answered by something else');
    return response;
  };
}

/** What a person allows while they are asked has both limits, always. */
function endOf({ maxUses, forMs }: LongerYes): StandingLimits {
  return { max_uses: maxUses, until: new Date(Date.now() + forMs).toISOString() };
}

/** Why a person is asked about a call, below what they are asked. */
function reasonOf({ entry: { connector, tool }, readFrom }: ApprovalRequest): string {
  const what = tool.destructive ? 'changes something' : 'may change something';
  const why = `${connector.name}: ${tool.name} ${what}. ${moreAbout(tool)}`.trim();
  if (readFrom === null) return why;
  return `${why}\nThis conversation has read from ${readFrom.join(', ')} before, and what was read there may have led to this call. That is why you are asked, whatever you have allowed.`;
}

function createHooks({ approvals, log, redactor, watch, onRecorded }: CreateCallsDeps): Hooks {
  const question = ({ entry, args, caller, approvalId, sessionId, readFrom }: ApprovalRequest, reason: string) => ({
    toolId: `${entry.connector.id}.${entry.tool.name}`,
    connectorId: entry.package.id,
    args,
    // Arguments have been read as JSON and checked against the tool's parameters.
    redactedArgs: redactor.redactValue(withoutCredentials(args) as JsonValue),
    caller: caller.name,
    reason,
    approvalId,
    sessionId,
    readFrom,
  });
  return {
    policy: (entry, args) => {
      if (entry.tool.protocol === 'ssh') for (const secret of credentialsIn(args)) redactor.addPassing(secret);
    },
    governance: () => undefined,
    approve: (request) => {
      const { tool } = request.entry;
      const reason = reasonOf(request);
      const asked = question(request, `${callTitle(request.entry.connector, tool, request.site)}\n${reason}`);
      // A browser asks in a window of its own, under the same title, where the person sees what they are asked about (K-10).
      if (tool.protocol === 'browser' && tool.destructive) {
        if (approvals.covers(asked)) return { allowed: true };
        const remember = (yes: LongerYes): void => void approvals.allow(asked, endOf(yes));
        // What was read elsewhere may have led to this call; a yes to it is none to the calls of other conversations.
        return { allowed: true, ask: { reason, remember: request.readFrom === null ? remember : null } };
      }
      const verdict = approvals.check(asked);
      return verdict.allowed
        ? { allowed: true }
        : { allowed: false, approvalId: verdict.approval.id, reason: verdict.approval.reason };
    },
    approveHost: (request) => {
      const { connector, tool } = request.entry;
      const reason =
        tool.protocol === 'browser'
          ? `${connector.name} would open ${request.host}, which an argument of the call names, in your browser.`
          : `${connector.name} would talk to ${request.host}, which an argument of the call names, and send its saved credentials there.`;
      const verdict = approvals.hostCheck({ ...question(request, reason), host: request.host });
      return verdict.allowed
        ? { allowed: true }
        : { allowed: false, approvalId: verdict.approval.id, reason: verdict.approval.reason };
    },
    watch,
    record: (call) => {
      log.record(logEntry(call, redactor));
      onRecorded(call);
    },
  };
}
