import type { LlmRefusal, LlmRequest, LlmTurn } from './script.ts';

/** One frame of a stream of server-sent events; OpenAI's have no name. */
export interface Frame {
  event?: string;
  data: string;
}

/** How one API is spoken. */
export interface Protocol {
  /** The path that asks for a completion, after the version; a model that stands in it is its group. */
  path: RegExp;
  read(body: Record<string, unknown>, model: string): Omit<LlmRequest, 'headers' | 'body'>;
  stream(turn: LlmTurn, request: LlmRequest): AsyncGenerator<Frame> | Generator<Frame>;
  error(refusal: LlmRefusal): unknown;
}

export const DEFAULT_USAGE = { input: 100, output: 20, cacheRead: 0, cacheWrite: 0, thinking: 0 };

let count = 0;

/** Ids differ from each other; tests that need a certain one give it. */
export function newId(prefix: string): string {
  count += 1;
  return `${prefix}${String(count).padStart(6, '0')}`;
}

/** The text of a content that is a text, or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: Record<string, unknown>) => (typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

export function parseArgs(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}
