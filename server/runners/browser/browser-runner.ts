import { randomBytes } from 'node:crypto';
import { MAX_FRAME_BYTES, type Allowed, type Run, type RunAnswer } from '../../../shared/bridge.ts';
import { ForgeError } from '../../../shared/errors.ts';
import type { StopSignal } from '../../../shared/stop-signal.ts';
import type { Ask, BrowserJob, RunContext, Runner } from '../job.ts';
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
    },
  ): Promise<{ result: RunAnswer; body: string | null }>;
}

const ASKING = 'Waiting for an answer in a window of the browser.\n';
/** Leaves room in a frame for the head, and for characters that take more bytes than the browser counted. */
const MAX_RESULT_BYTES = MAX_FRAME_BYTES / 2;

/** Runs scripts in the tabs of a paired browser. */
export function createBrowserRunner(bridge: ScriptBridge, { approvalMs }: { approvalMs: number }): Runner<BrowserJob> {
  return {
    async run(job: BrowserJob, context: RunContext): Promise<BrowserResponse> {
      const { signal, browser, callId, ask, onOutput, masker } = context;
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
        approval: ask === undefined ? null : questionOf(ask, approvalMs),
      };
      const remember = ask?.remember ?? null;
      const extraMs = params.approval?.timeout_ms ?? 0;
      // Whoever watches the call would otherwise only see that it takes long.
      if (ask !== undefined) onOutput?.('stderr', ASKING);
      const { result, body } = await bridge.request('connector.run', params, {
        browser,
        connector: job.connector,
        extraMs,
        signal,
        ...(masker === undefined ? {} : { redact: masker.redact }),
        ...(remember === null
          ? {}
          : { onAllowed: ({ max_uses, for_ms }: Allowed) => remember({ maxUses: max_uses, forMs: for_ms }) }),
      });
      if (body !== null && body.length > MAX_RESULT_BYTES)
        throw new ForgeError('result_too_large', `${job.title} returned ${Math.round(body.length / 1_000_000)} MB`);
      // A script that returns nothing has no text either.
      return { kind: 'browser', url: result.url, text: body ?? 'null', timings: result.timings };
    },
  };
}

function questionOf({ reason, remember }: Ask, approvalMs: number): NonNullable<Run['approval']> {
  return { reason, timeout_ms: approvalMs, ...(remember === null ? { once: true } : {}) };
}
