import type { ChatToolPart } from '../../chat-api.ts';
import { isRecord, ownValue, type JsonValue } from '../../json.ts';
import { failureWords } from '../calls/call-words.ts';
import { cutResult, filesIn } from '../connector/result/result-shape.ts';

/** How a model calls tools it was not given by name. */
const CALL_TOOL = 'forge_call_tool';

/** The tool's id where there is one: `jira.list_my_issues`; else the name the model has used. */
export function toolName({ tool_id: id, name, args }: Pick<ChatToolPart, 'tool_id' | 'name' | 'args'>): string {
  if (id !== null) return id;
  const wanted = name === CALL_TOOL ? ownValue(args, 'tool') : undefined;
  return (typeof wanted === 'string' ? wanted : name).replace('__', '.');
}

/** What the tool itself was given. */
export function toolArgs({ name, args }: Pick<ChatToolPart, 'name' | 'args'>): JsonValue {
  const inner = name === CALL_TOOL ? ownValue(args, 'arguments') : undefined;
  // A part of what is JSON is JSON.
  return inner === undefined ? args : (inner as JsonValue);
}

/** Whose picture stands beside it; null for Forge's own tools. */
export function connectorOf(part: Pick<ChatToolPart, 'tool_id' | 'name' | 'args'>): string | null {
  const name = toolName(part);
  const dot = name.indexOf('.');
  return dot > 0 ? name.slice(0, dot) : null;
}

/** How a card says in a word why a tool has failed; what only waits for the person is no fault. */
export function failureMark(code: string | null): { state: 'broken' | 'needs' | 'off'; label: string } {
  if (code === 'approval_denied') return { state: 'off', label: 'Denied' };
  if (code === 'login_required') return { state: 'needs', label: 'Needs you to log in' };
  return { state: 'broken', label: failureWords(code) };
}

/** `25 rows`, `2 files`; empty where a count says nothing. */
export function countWords(value: JsonValue): string {
  const cut = cutResult(value);
  if (cut !== null) return cut.shape;
  const files = filesIn(value).length;
  if (files > 0) return files === 1 ? '1 file' : `${files} files`;
  if (Array.isArray(value)) return value.length === 1 ? '1 row' : `${value.length} rows`;
  return isRecord(value) || value === null ? '' : lines(String(value));
}

function lines(text: string): string {
  const count = text.trimEnd().split('\n').length;
  return count > 1 ? `${count} lines` : '';
}
