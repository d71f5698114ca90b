import type { ChatPart, ChatToolPart } from './chat-api.ts';
import type { JsonValue } from './json.ts';

/** The part of a task's events that an answer is put together from; see GET /api/v2/tasks/:id/events. */
type AnswerEvent =
  | { type: 'execution.text'; data: { text: string; offset?: number } }
  | { type: 'execution.tool_call'; data: { id: string; name: string; args: JsonValue } }
  | { type: 'execution.tool_output'; data: { id: string; text: string } }
  | { type: 'execution.tool_approval'; data: { id: string; approvalId: string; reason: string } }
  | { type: 'execution.tool_result'; data: ToolResult };

/** How a tool that a model called has ended. */
export interface ToolResult {
  id: string;
  name: string;
  ok: boolean;
  text: string;
  durationMs: number;
  /** The call's id in Forge's log, where it is a call of a connector's tool. */
  callId?: string;
  toolId?: string;
  code?: string;
  handle?: string;
  /** Where a person has to log in before the tool can do anything. */
  loginTab?: { browser_id: string; tab_id: number };
}

const MAX_OUTPUT = 20_000;

/**
 * Adds one event to the parts of an answer; both the server and whoever shows the answer while it comes do it this way. Events are
 * told once and in order. Answers the index of the part that has changed, or null when none has; other parts stay the same objects.
 */
export function addToParts(parts: ChatPart[], event: { type: string; data?: unknown }): number | null {
  if (!isAnswerEvent(event)) return null;
  switch (event.type) {
    case 'execution.text':
      return addText(parts, event.data);
    case 'execution.tool_call':
      return parts.push(newToolPart(event.data)) - 1;
    case 'execution.tool_output': {
      const { id, text } = event.data;
      return changeTool(parts, id, (part) => ({ ...part, output: (part.output + text).slice(-MAX_OUTPUT) }));
    }
    case 'execution.tool_approval': {
      const { id, approvalId, reason } = event.data;
      return changeTool(parts, id, (part) => ({ ...part, state: 'waiting', approval: { id: approvalId, reason } }));
    }
    case 'execution.tool_result':
      return changeTool(parts, event.data.id, (part) => withResult(part, event.data));
  }
}

/**
 * What becomes of a part when its answer has ended: a tool that was under way may or may not have done something, and whoever reads on
 * must be told; one that waited for a person has done nothing.
 */
export function endPart<P extends ChatPart>(part: P, code: string): P {
  if (part.type !== 'tool') return part;
  if (part.state === 'running') return { ...part, state: 'unknown', code };
  return part.state === 'waiting'
    ? { ...part, state: 'failed', code, result: 'Nobody has answered, and nothing was done.' }
    : part;
}

function addText(parts: ChatPart[], { text, offset }: { text: string; offset?: number }): number | null {
  const known = parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
  // A piece may have been put together from several, some of which are here already.
  const fresh = offset === undefined ? text : text.slice(Math.max(0, known - offset));
  if (fresh === '') return null;
  const last = parts.at(-1);
  if (last?.type !== 'text') return parts.push({ type: 'text', text: fresh }) - 1;
  parts[parts.length - 1] = { type: 'text', text: last.text + fresh };
  return parts.length - 1;
}

function newToolPart({ id, name, args }: { id: string; name: string; args: JsonValue }): ChatToolPart {
  return {
    ...{ type: 'tool', id, name, args, state: 'running', approval: null, output: '', result: null, tool_id: null },
    ...{ call_id: null, handle: null, code: null, duration_ms: null, site: null },
  };
}

function withResult(part: ChatToolPart, { ok, text, durationMs, ...about }: ToolResult): ChatToolPart {
  return {
    ...part,
    state: ok ? 'done' : 'failed',
    result: text,
    duration_ms: durationMs,
    tool_id: about.toolId ?? null,
    call_id: about.callId ?? null,
    handle: about.handle ?? null,
    code: about.code ?? null,
    ...(about.loginTab === undefined ? {} : { login_tab: about.loginTab }),
  };
}

/** Some models count their calls anew in every step, so the latest one of an id that has not ended is meant. */
function changeTool(parts: ChatPart[], id: string, change: (part: ChatToolPart) => ChatToolPart): number | null {
  const index = parts.findLastIndex(
    (part) => part.type === 'tool' && part.id === id && (part.state === 'running' || part.state === 'waiting'),
  );
  const part = parts[index];
  if (part?.type !== 'tool') return null;
  parts[index] = change(part);
  return index;
}

const ANSWER_EVENTS: ReadonlySet<string> = new Set<AnswerEvent['type']>([
  'execution.text',
  'execution.tool_call',
  'execution.tool_output',
  'execution.tool_approval',
  'execution.tool_result',
]);

/** Forge's own server wrote the event, so its type says what its data is. */
function isAnswerEvent(event: { type: string; data?: unknown }): event is AnswerEvent {
  return ANSWER_EVENTS.has(event.type);
}
