import type { JsonValue } from '../../json.ts';

/** `code: what happened`, and what to do in the lines below. */
const FAILURE = /^(?:([a-z][a-z0-9_]*): )?([^\n]*)\n?([\s\S]*)$/;
/** What is said about a result stands before or behind it, with an empty line between. */
const MAX_NOTES = 3;

/** A result as it was before it became a text for a model: a value where it can be read as one. */
export function resultValue(text: string): JsonValue {
  let rest = text;
  for (let notes = 0; notes <= MAX_NOTES; notes += 1) {
    const value = parse(rest) ?? parse(rest.slice(rest.indexOf('\n\n') + 2));
    if (value !== undefined) return value;
    const end = rest.lastIndexOf('\n\n');
    if (end < 0) break;
    rest = rest.slice(0, end);
  }
  return text;
}

/** What a failed tool has told the model. */
export function failureIn(text: string): { message: string; hint: string } {
  const [, , message = '', hint = ''] = FAILURE.exec(text) ?? [];
  return { message, hint: hint.trim() };
}

/** Structures only: a text that happens to be a number is a text. */
function parse(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue; // what JSON.parse returns is one
  } catch {
    return undefined;
  }
}
