import type { Static } from '@sinclair/typebox';
import type { CallAnswerBody } from '../../../api.ts';
import type { JsonObject, JsonValue } from '../../../json.ts';
import type { Api, ApiError } from '../../api.ts';
import { errorOf } from '../../read-answer.ts';
import { createEventRun } from '../event-run.svelte.ts';

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
  const call = createEventRun(api);
  let output = $state('');
  let answer = $state.raw<CallAnswer | null>(null);
  let approvalId = $state<string | null>(null);

  const clear = (): void => {
    call.cancel();
    call.fail(null);
    output = '';
    answer = null;
    approvalId = null;
  };
  const take = (event: string, data: unknown): void => {
    // The server's own events, checked by its tests.
    if (event === 'output') output = (output + (data as { text: string }).text).slice(-MAX_OUTPUT);
    if (event === 'error') call.fail(errorOf(500, data));
    if (event !== 'answer') return;
    const given = data as CallAnswer & { approval_id?: string };
    if (given.approval_id !== undefined) approvalId = given.approval_id;
    else answer = given;
  };

  return {
    get isRunning() {
      return call.isRunning;
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
      return call.error;
    },
    async run(toolId, args, { isDryRun = false, approvalId: allowed } = {}) {
      clear();
      const body = {
        args,
        dry_run: isDryRun,
        caller: 'settings',
        ...(allowed === undefined ? {} : { approval_id: allowed }),
      };
      await call.start(`/api/tools/${encodeURIComponent(toolId)}/call`, body, take);
    },
    cancel: () => call.cancel(),
    clear,
  };
}
