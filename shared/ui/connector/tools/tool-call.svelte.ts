import type { Static } from '@sinclair/typebox';
import type { CallAnswerBody } from '../../../api.ts';
import type { JsonObject, JsonValue } from '../../../json.ts';
import { isAbort, toApiError, type Api, type ApiError } from '../../api.ts';
import { errorOf } from '../../read-answer.ts';

export type CallAnswer = Omit<Static<typeof CallAnswerBody>, 'result'> & { result?: JsonValue };

interface CallOptions {
  isDryRun?: boolean;
  approvalId?: string;
}

/** One try of a tool: what it prints as it runs, and how it ended. */
export interface ToolCall {
  readonly isRunning: boolean;
  readonly output: string;
  readonly answer: CallAnswer | null;
  /** The approval this very call waits for. */
  readonly approvalId: string | null;
  readonly error: ApiError | null;
  run(toolId: string, args: JsonObject, options?: CallOptions): Promise<void>;
  cancel(): void;
  clear(): void;
}

/** What a terminal would keep of a program that prints without end. */
const MAX_OUTPUT = 100_000;

export function createToolCall(api: Api): ToolCall {
  let controller = $state.raw<AbortController | null>(null);
  let output = $state('');
  let answer = $state.raw<CallAnswer | null>(null);
  let approvalId = $state<string | null>(null);
  let error = $state.raw<ApiError | null>(null);

  const clear = (): void => {
    controller?.abort();
    controller = null;
    output = '';
    answer = null;
    approvalId = null;
    error = null;
  };
  const take = (event: string, data: unknown): void => {
    // The server's own events, checked by its tests.
    if (event === 'output') output = (output + (data as { text: string }).text).slice(-MAX_OUTPUT);
    if (event === 'error') error = errorOf(500, data);
    if (event !== 'answer') return;
    const given = data as CallAnswer & { approval_id?: string };
    if (given.approval_id !== undefined) approvalId = given.approval_id;
    else answer = given;
  };
  const run: ToolCall['run'] = async (toolId, args, { isDryRun = false, approvalId: allowed } = {}) => {
    clear();
    const own = new AbortController();
    controller = own;
    const body = {
      args,
      dry_run: isDryRun,
      caller: 'settings',
      ...(allowed === undefined ? {} : { approval_id: allowed }),
    };
    try {
      await api.stream(`/api/tools/${encodeURIComponent(toolId)}/call`, body, {
        signal: own.signal,
        onEvent: (event, data) => {
          if (!own.signal.aborted) take(event, data);
        },
      });
    } catch (failure) {
      if (!isAbort(failure) && controller === own) error = toApiError(failure);
    } finally {
      if (controller === own) controller = null;
    }
  };

  return {
    get isRunning() {
      return controller !== null;
    },
    get output() {
      return output;
    },
    get answer() {
      return answer;
    },
    get approvalId() {
      return approvalId;
    },
    get error() {
      return error;
    },
    run,
    cancel: () => {
      controller?.abort();
      controller = null;
    },
    clear,
  };
}
