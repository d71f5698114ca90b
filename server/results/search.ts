import type { JsonValue } from '../../shared/json.ts';

/** A place where a search found something: an item of a list, a line of a text, or a value in an object. */
export type Match =
  | { index: number; item: JsonValue }
  | { line: number; text: string }
  | { path: string; value: JsonValue };

/** How much of a long line is shown around what was found. */
const LINE_CHARS = 400;

/** The items that hold the text anywhere in them. The text to look for is in lower case, here and below. */
export function findInItems(items: readonly JsonValue[], needle: string): Match[] {
  const matches: Match[] = [];
  for (const [index, item] of items.entries()) if (holds(item, needle)) matches.push({ index, item });
  return matches;
}

/** The lines of a text that hold it, counted from 1 as editors do. */
export function findInLines(text: string, needle: string): Match[] {
  const matches: Match[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const at = line.toLowerCase().indexOf(needle);
    if (at !== -1) matches.push({ line: index + 1, text: around(line, at) });
  }
  return matches;
}

/** The texts and numbers inside an object that hold it, each with the path to it. */
export function findInObject(value: JsonValue, needle: string, path: string): Match[] {
  if (typeof value !== 'object' || value === null) return holds(value, needle) ? [{ path, value }] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => findInObject(item, needle, `${path}[${index}]`));
  return Object.entries(value).flatMap(([key, child]) => findInObject(child, needle, path + stepTo(key, path === '')));
}

function holds(value: JsonValue, needle: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(needle);
  if (typeof value !== 'object' || value === null) return String(value).includes(needle);
  for (const child of Array.isArray(value) ? value : Object.values(value)) if (holds(child, needle)) return true;
  return false;
}

function stepTo(key: string, isFirst: boolean): string {
  if (/[.[\]\s]/.test(key) || key === '') return key.includes('"') ? `['${key}']` : `["${key}"]`;
  return isFirst ? key : `.${key}`;
}

function around(line: string, at: number): string {
  if (line.length <= LINE_CHARS) return line.trimEnd();
  const start = Math.max(0, at - LINE_CHARS / 4);
  const part = line.slice(start, start + LINE_CHARS).toWellFormed();
  return `${start > 0 ? '…' : ''}${part}${start + LINE_CHARS < line.length ? '…' : ''}`;
}
