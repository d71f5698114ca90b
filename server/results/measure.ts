import type { JsonValue } from '../../shared/json.ts';
import { cutText } from './cut-text.ts';

const SHORT_TEXT = 32;
// Matches half of every emoji too; the exact count below tells pairs from halves.
const MAY_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** How many characters a value has as text, or as JSON when it is not text; nothing is built to find out. */
export function charsOf(value: JsonValue): number {
  return typeof value === 'string' ? value.length : jsonChars(value);
}

function jsonChars(value: JsonValue): number {
  switch (typeof value) {
    case 'string':
      return stringChars(value);
    case 'number':
      return Number.isFinite(value) ? String(value).length : 4;
    case 'boolean':
      return value ? 4 : 5;
    default:
      return value === null ? 4 : containerChars(value);
  }
}

function containerChars(value: JsonValue[] | Record<string, JsonValue>): number {
  let chars = 2;
  let count = 0;
  if (Array.isArray(value)) {
    count = value.length;
    for (const item of value) chars += jsonChars(item);
  } else {
    // A result inherits nothing, and this way no list of keys has to be built.
    for (const key in value) {
      count += 1;
      chars += stringChars(key) + 1 + jsonChars(value[key] ?? null);
    }
  }
  return chars + Math.max(0, count - 1);
}

function stringChars(text: string): number {
  // Going through a short text is quicker than starting a regular expression.
  const isPlain = text.length > SHORT_TEXT && !MAY_ESCAPE.test(text);
  return text.length + 2 + (isPlain ? 0 : escapedChars(text));
}

/** How many characters JSON adds to a text. */
function escapedChars(text: string): number {
  let added = 0;
  for (let index = 0; index < text.length; index += 1) added += addedAt(text, index);
  return added;
}

/** How many it adds to one character: a backslash, or all of `\u001b`. */
function addedAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code === 0x22 || code === 0x5c) return 1;
  if (code < 0x20) return code === 0x0b || code < 0x08 || code > 0x0d ? 5 : 1;
  if (code < 0xd800 || code > 0xdfff) return 0;
  const isPaired =
    code <= 0xdbff
      ? (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
      : (text.charCodeAt(index - 1) & 0xfc00) === 0xd800;
  return isPaired ? 0 : 5;
}

/** The first characters of a value's text or JSON; the rest is never built. */
export function headOf(value: JsonValue, maxChars: number): string {
  if (typeof value === 'string') return cutText(value, maxChars);
  const parts: string[] = [];
  writeHead(value, parts, { left: maxChars });
  return cutText(parts.join(''), maxChars);
}

/** As much of the beginning of a text as stays within so many characters once JSON has escaped it. */
export function cutEscaped(text: string, maxChars: number): string {
  let used = 0;
  for (let index = 0; index < text.length; index += 1) {
    used += 1 + addedAt(text, index);
    if (used > maxChars) return cutText(text, index);
  }
  return text;
}

function writeHead(value: JsonValue, parts: string[], room: { left: number }): void {
  const write = (text: string): void => {
    parts.push(text);
    room.left -= text.length;
  };
  if (room.left <= 0) return;
  if (typeof value === 'string') {
    write(JSON.stringify(cutText(value, room.left + 1)));
    return;
  }
  if (typeof value !== 'object' || value === null) {
    write(JSON.stringify(value));
    return;
  }
  const isList = Array.isArray(value);
  write(isList ? '[' : '{');
  let isFirst = true;
  for (const key of isList ? value.keys() : Object.keys(value)) {
    if (room.left <= 0) return;
    if (!isFirst) write(',');
    isFirst = false;
    if (typeof key === 'string') write(`${JSON.stringify(cutText(key, room.left + 1))}:`);
    const child = isList ? value[Number(key)] : value[key];
    if (child !== undefined) writeHead(child, parts, room);
  }
  write(isList ? ']' : '}');
}
