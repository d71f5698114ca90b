import { isDeeperThan, type JsonValue } from '../../shared/json.ts';

/** Deeper than any real answer, and shallow enough that everything which walks a value can do so by recursion. */
const MAX_DEPTH = 400;

/** The value of a JSON text; undefined for any other text, and for nesting that no honest service sends. */
export function parseJson(text: string): JsonValue | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue; // JSON.parse returns nothing else
  } catch {
    // Not JSON; whoever asked shows it as text.
    return undefined;
  }
  return text.length > MAX_DEPTH && isDeeperThan(value, MAX_DEPTH) ? undefined : value;
}

/** True for a text that begins like a JSON object or list, which is worth trying to parse. A bare number or word is left as text. */
export function looksLikeJson(text: string): boolean {
  const first = firstVisible(text);
  return first === 0x7b || first === 0x5b;
}

/** The values of JSON Lines, one per line; undefined unless every line is an object or a list. */
export function parseJsonLines(text: string): JsonValue[] | undefined {
  const values: JsonValue[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const value = looksLikeJson(line) ? parseJson(line) : undefined;
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function firstVisible(text: string): number {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
  }
  return -1;
}
