import { isForgeError, type ForgeError } from '../../shared/errors.ts';
import { isRecord, type JsonObject, type JsonValue } from '../../shared/json.ts';
import type { ResultStore } from '../results/handles.ts';
import type { Maskers } from '../secrets/maskers.ts';
import type { CallAnswer, CallRequest } from '../tools/call-tool.ts';
import type { Watch } from './watch.ts';

/** What a watch needs of the pipeline. */
export type CallTool = (request: CallRequest) => Promise<CallAnswer>;

/** How a call of a watch ended, whichever way the pipeline says so. */
export type ToolAnswer =
  | { kind: 'answered'; result: JsonValue; shown: JsonValue; callId: string; durationMs: number }
  | {
      kind: 'failed';
      code: string;
      message: string;
      /** What the service answered with, where it did. */
      status: number | null;
      callId: string | null;
      durationMs: number;
    }
  | { kind: 'approval'; approvalId: string; message: string; callId: string };

interface AskDeps {
  call: CallTool;
  results: Pick<ResultStore, 'get'>;
  maskers: Pick<Maskers, 'connector'>;
}

interface Question extends Pick<CallRequest, 'approvalId' | 'watch' | 'otherSites'> {
  toolId: string;
  args: JsonObject;
  signal: AbortSignal;
}

/** Calls a tool in the name of a watch, with the limits of whoever started it. Every failure is an answer. */
export async function askTool(
  { call, results, maskers }: AskDeps,
  watch: Watch,
  question: Question,
): Promise<ToolAnswer> {
  const { limits, browser } = watch.plan;
  try {
    const answer = await call({
      ...question,
      caller: { kind: 'watch', name: `watch ${watch.id}`, limits: limits ?? undefined },
      browser: browser ?? undefined,
    });
    switch (answer.kind) {
      case 'done': {
        const { result: shown, handle, callId, durationMs } = answer;
        return {
          kind: 'answered',
          result: handle === undefined ? shown : results.get(handle),
          shown,
          callId,
          durationMs,
        };
      }
      case 'failed': {
        const { callId, durationMs, error } = answer;
        return {
          kind: 'failed',
          code: error.code,
          message: error.message,
          status: statusOf(error),
          callId,
          durationMs,
        };
      }
      case 'approval':
        return { kind: 'approval', approvalId: answer.approvalId, message: answer.reason, callId: answer.callId };
      case 'dry-run':
        throw new TypeError('a call that was not to be a dry run became one');
    }
  } catch (error) {
    const code = isForgeError(error) ? error.code : 'internal';
    const masker = maskers.connector(watch.connectorId).masks.sent;
    const message = isForgeError(error) ? masker.redact(error.message) : 'something went wrong inside Forge';
    return { kind: 'failed', code, message, status: null, callId: null, durationMs: 0 };
  }
}

function statusOf({ details }: ForgeError): number | null {
  return isRecord(details) && typeof details['status'] === 'number' ? details['status'] : null;
}
