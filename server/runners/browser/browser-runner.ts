import { randomBytes } from 'node:crypto';
import { MAX_FRAME_BYTES, type Run, type RunAnswer } from '../../../shared/bridge.ts';
import type { Allowed, Asking } from '../../../shared/bridge-approvals.ts';
import { ForgeError, isForgeError } from '../../../shared/errors.ts';
import { FORGE } from '../../../shared/forge-command.ts';
import type { StopSignal } from '../../../shared/stop-signal.ts';
import type { Ask, BrowserJob, OpenQuestion, RunContext, Runner } from '../job.ts';
import type { BrowserResponse } from '../response.ts';

/** The part of the bridge that runs scripts: it finds a browser and brings back what the script returned. */
export interface ScriptBridge {
  request(
    method: 'connector.run',
    params: Run,
    options: {
      browser?: string | undefined;
      connector: string;
      extraMs: number;
      signal: StopSignal;
      onAllowed?: (allowed: Allowed) => void;
      onAsking?: (state: Asking['state']) => void;
    },
  ): Promise<{ result: RunAnswer; body: string | null }>;
  /** Tells the browser what a person has said elsewhere. */
  decide(callId: string, approved: boolean): void;
}

const ASKING = 'Waiting for an answer in a window of the browser.\n';
/** Leaves room in a frame for the head, and for characters that take more bytes than the browser counted. */
const MAX_RESULT_BYTES = MAX_FRAME_BYTES / 2;

/** Runs scripts in the tabs of a paired browser. */
export function createBrowserRunner(bridge: ScriptBridge, { approvalMs }: { approvalMs: number }): Runner<BrowserJob> {
  return {
    async run(job: BrowserJob, context: RunContext): Promise<BrowserResponse> {
      const { signal, browser, callId, ask, masker } = context;
      const params: Run = {
        call_id: callId ?? `call_${randomBytes(8).toString('hex')}`,
        connector: job.connector,
        tool: job.tool,
        title: job.title,
        acquire: job.acquire,
        runner: job.runner,
        frame: job.frame,
        script: job.script,
        args: job.args,
        settings: job.settings,
        timeout_ms: job.timeoutMs,
        max_result_bytes: MAX_RESULT_BYTES,
        expect: job.expect,
        // What a person is asked about runs by itself.
        may_join: job.mayJoin && ask === undefined,
        approval: ask === undefined ? null : questionOf(ask, job, approvalMs),
      };
      const remember = ask?.remember ?? null;
      // The login is looked at before the person is asked, and that may take as long as the call itself.
      const extraMs = params.approval === null ? 0 : params.approval.timeout_ms + job.timeoutMs;
      const asking = ask === undefined ? null : askElsewhere(ask, bridge, params.call_id, context);
      const request = bridge.request('connector.run', params, {
        browser,
        connector: job.connector,
        extraMs,
        signal,
        ...(asking === null ? {} : { onAsking: asking.onAsking }),
        ...(masker === undefined ? {} : { redact: masker.redact }),
        ...(remember === null
          ? {}
          : { onAllowed: ({ max_uses, for_ms }: Allowed) => remember({ maxUses: max_uses, forMs: for_ms }) }),
      });
      const { result, body } = await (asking === null ? request : asking.until(request));
      if (body !== null && body.length > MAX_RESULT_BYTES)
        throw new ForgeError('result_too_large', `${job.title} returned ${Math.round(body.length / 1_000_000)} MB`);
      // A script that returns nothing has no text either.
      return { kind: 'browser', url: result.url, text: body ?? 'null', timings: result.timings };
    },
  };
}

function questionOf({ reason, remember }: Ask, { look }: BrowserJob, approvalMs: number): NonNullable<Run['approval']> {
  return { reason, timeout_ms: approvalMs, look, ...(remember === null ? { once: true } : {}) };
}

/** While a browser asks, the question can be answered elsewhere too: whoever is first decides. */
function askElsewhere(
  ask: Ask,
  bridge: Pick<ScriptBridge, 'decide'>,
  callId: string,
  { onOutput, onAsked }: RunContext,
) {
  let question: OpenQuestion | null = null;
  const put = (): void => {
    // A browser that says it twice asks once.
    if (question !== null) return;
    try {
      question = ask.put((approved) => bridge.decide(callId, approved));
      // Whoever watches the call would otherwise only see that it takes long.
      onOutput?.('stderr', `${ASKING}To answer without it: ${FORGE} approvals approve ${question.id}\n`);
      onAsked?.(question.id, ask.reason);
    } catch (error) {
      // Too many questions wait already; this one is then asked in the browser only.
      if (!isForgeError(error)) throw error;
      onOutput?.('stderr', ASKING);
    }
  };
  return {
    onAsking: (state: Asking['state']): void => {
      if (state === 'asked') put();
      else question?.close(state === 'approved');
    },
    async until<T>(request: Promise<T>): Promise<T> {
      try {
        const answer = await request;
        question?.close(true);
        return answer;
      } catch (error) {
        if (isForgeError(error, 'approval_required')) question?.leave();
        else question?.close(isForgeError(error, 'approval_denied') ? false : null);
        // The browser only knows that it was a no.
        throw (isForgeError(error, 'approval_denied') && question?.declined()) || error;
      }
    },
  };
}
