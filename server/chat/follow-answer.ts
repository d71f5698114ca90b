import type { ChatMessage, MessageStatus } from '../../shared/chat-api.ts';
import { addToParts, endPart } from '../../shared/chat-parts.ts';
import { ERRORS } from '../../shared/error-table.ts';
import { type ErrorCode } from '../../shared/errors.ts';
import type { ExecutionEvent, ExecutionResult } from '../execution/adapter.ts';
import type { Submitted } from '../execution/tasks/orchestrator.ts';
import { statusOf } from '../execution/tasks/task.ts';
import type { About, Message, Messages, StoredPart } from './messages.ts';

export interface AnswerBooks {
  messages: Messages;
  /** One transaction, and the events of it. */
  commit: (work: () => void) => void;
  tell: (message: Message, change: 'changed') => void;
  /** Runs something later; the returned function takes that back. */
  after: (ms: number, run: () => void) => () => void;
  /** Something could not be written down for now; what was said is kept, and written with what comes next. */
  onProblem: (error: unknown) => void;
}

/** What came since is written together, so that a fast model does not keep the disk busy. */
const WRITE_EVERY_MS = 250;

/** Without its end an answer would seem to be written for ever. */
const RETRY_AFTER_MS = [250, 1000, 4000];

/** Writes an answer down while it comes, so that whatever happens to Forge the conversation has what was said. */
export async function followAnswer(
  books: AnswerBooks,
  message: Message,
  { stream, done }: Pick<Submitted, 'stream' | 'done'>,
  siteOfCall: (callId: string) => string | null,
): Promise<void> {
  const parts: StoredPart[] = [...message.parts];
  const warnings = [...message.about.warnings];
  const changed = new Set<number>();
  /** Null when nothing waits to be written. */
  const timer: { stop: (() => void) | null } = { stop: null };

  const put = (): void => {
    for (const place of changed) {
      const part = parts[place];
      if (part !== undefined) books.messages.putPart(message.seq, place, part);
    }
  };
  /** The answer goes on whatever the disk says. */
  const attempt = (work: () => void): boolean => {
    try {
      books.commit(work);
      return true;
    } catch (error) {
      books.onProblem(error);
      return false;
    }
  };
  const write = (): void => {
    timer.stop = null;
    // What was not written waits for the next time.
    if (attempt(put)) changed.clear();
  };
  const hear = (event: ExecutionEvent): void => {
    if (event.type === 'execution.warning') warnings.push(event.data.message);
    if (event.type === 'execution.started') attempt(() => setRunning(books, message));
    const place = addEvent(parts, event, siteOfCall);
    if (place === null) return;
    changed.add(place);
    timer.stop ??= books.after(WRITE_EVERY_MS, write);
  };

  for (const { event } of stream?.since(0) ?? []) hear(event);
  stream?.listen(
    ({ event }) => hear(event),
    () => undefined,
  );
  const result = await done.catch((): ExecutionResult => INTERNAL);
  const status = statusOf(result);
  if (result.output && !parts.some(({ type }) => type === 'text')) {
    changed.add(parts.push({ type: 'text', text: result.output }) - 1);
  }
  for (const [place, part] of parts.entries()) {
    const ended = endPart(part, result.errorCode ?? 'cancelled');
    if (ended !== part) changed.add(place);
    parts[place] = ended;
  }
  timer.stop?.();
  const finish = (): void => {
    put();
    end(books, message, status, { ...aboutResult(message.about, result), warnings });
  };
  for (const pauseMs of RETRY_AFTER_MS) {
    if (attempt(finish)) return;
    await new Promise<void>((resolve) => books.after(pauseMs, resolve));
  }
  books.commit(finish);
}

/** What a message becomes that was being written when Forge stopped. */
export function endInterrupted(books: Pick<AnswerBooks, 'messages' | 'tell'>, message: Message): void {
  for (const [place, part] of message.parts.entries()) {
    const ended = endPart(part, 'task_interrupted');
    if (ended !== part) books.messages.putPart(message.seq, place, ended);
  }
  const error = errorOf('task_interrupted', 'Forge was stopped while this answer was written');
  end(books, message, 'interrupted', { ...message.about, error });
}

function addEvent(
  parts: StoredPart[],
  event: ExecutionEvent,
  siteOfCall: (callId: string) => string | null,
): number | null {
  const place = addToParts(parts, event);
  const part = place === null ? undefined : parts[place];
  if (place !== null && part?.type === 'tool' && part.call_id !== null)
    parts[place] = { ...part, site: siteOfCall(part.call_id) };
  return place;
}

function setRunning({ messages, tell }: AnswerBooks, message: Message): void {
  messages.setStatus(message, 'running');
  tell({ ...message, status: 'running' }, 'changed');
}

function end(
  { messages, tell }: Pick<AnswerBooks, 'messages' | 'tell'>,
  message: Message,
  status: MessageStatus,
  about: About,
): void {
  messages.end(message, status, about);
  tell({ ...message, status }, 'changed');
}

const INTERNAL: ExecutionResult = {
  ...{ status: 'error', error: 'something went wrong inside Forge', errorCode: 'internal', durationMs: 0 },
};

function aboutResult(about: About, { usage, model, modelProvider, costUsd, ...result }: ExecutionResult): About {
  const { inputTokens: input_tokens, outputTokens: output_tokens, totalTokens: total_tokens } = usage ?? {};
  const counts = { input_tokens: input_tokens ?? null, output_tokens: output_tokens ?? null };
  return {
    ...about,
    model: model === undefined ? about.model : [modelProvider, model].filter(Boolean).join('/'),
    error: result.status === 'ok' ? null : errorOf(result.errorCode ?? 'runtime_failed', result.error ?? ''),
    usage: usage === undefined ? null : { ...counts, total_tokens: total_tokens ?? null },
    cost_usd: costUsd ?? null,
  };
}

/** Runtimes have codes of their own, too, about which the table knows nothing. */
function errorOf(code: string, message: string): ChatMessage['error'] {
  const hint = Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode].hint : ERRORS.runtime_failed.hint; // own key checked in this line
  return { code, message, hint };
}
