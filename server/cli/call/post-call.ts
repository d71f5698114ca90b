import type { Static } from '@sinclair/typebox';
import type { CallAnswerBody, CallRequestBody } from '../../../shared/api.ts';
import { ForgeError } from '../../../shared/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import { callPath } from '../api.ts';
import { errorOf, parseAnswer, type Connection } from '../client.ts';
import { readText } from '../send-request.ts';
import { readEvents } from './read-events.ts';

export type CallBody = Static<typeof CallRequestBody>;
export type CallAnswer = Static<typeof CallAnswerBody>;

/** What came of a call: an answer, or the approval it waits for. `body` is what the API sent. */
export type CallReply =
  | { kind: 'answer'; body: CallAnswer }
  | { kind: 'approval'; approvalId: string; message: string; body: unknown };

/** A question that a call waits for: before it runs, or in the browser that runs it. */
export interface Waiting {
  approvalId: string;
  message: string;
}

interface CallOptions {
  signal: AbortSignal;
  /** Called for each question of a browser, and for all others where the body asks Forge to hold the call. */
  onWaiting?: ((waiting: Waiting) => void) | undefined;
  /** Asks for the tool's output as it is printed. */
  onOutput?: ((text: string) => void) | undefined;
}

/** A tool may take ten minutes and may have to log in before; each of two questions may be held for nine. */
const CALL_TIMEOUT_MS = 35 * 60_000;
const EVENT_STREAM = 'text/event-stream';

/** Calls a tool. A failure of the tool is an answer; what keeps Forge from calling it is thrown. */
export async function postCall(
  { open }: Pick<Connection, 'open'>,
  toolId: string,
  body: CallBody,
  { signal, onOutput, onWaiting }: CallOptions,
): Promise<CallReply> {
  const accept = onOutput === undefined && onWaiting === undefined ? undefined : EVENT_STREAM;
  const { status, type, chunks } = await open('POST', callPath(toolId), {
    body,
    accept,
    signal,
    timeoutMs: CALL_TIMEOUT_MS,
  });
  if (!type.startsWith(EVENT_STREAM)) return replyOf(status, parseAnswer(status, await readText(chunks)));
  for await (const { event, data } of readEvents(chunks)) {
    if (event === 'answer' || event === 'error') return replyOf(200, data);
    if (!isRecord(data)) continue;
    const { text, approval_id: approvalId, message } = data;
    if (event === 'output' && typeof text === 'string') onOutput?.(text);
    if (event === 'waiting' && typeof approvalId === 'string' && typeof message === 'string')
      onWaiting?.({ approvalId, message });
  }
  throw new ForgeError('internal', 'Forge ended the output without an answer', {
    hint: 'The log of Forge has the details.',
  });
}

/** A stream says 200 before it knows how a call ends, so the body decides. */
function replyOf(status: number, body: unknown): CallReply {
  if (isRecord(body) && typeof body['ok'] === 'boolean') {
    // The server's answers are typed by the schema this type is made from.
    return { kind: 'answer', body: body as CallAnswer };
  }
  const error = errorOf(status, body);
  if (error.code === 'approval_required' && isRecord(body) && typeof body['approval_id'] === 'string')
    return { kind: 'approval', approvalId: body['approval_id'], message: error.message, body };
  throw error;
}
