import { ForgeError } from '../../shared/errors.ts';
import type { JsonValue } from '../../shared/json.ts';
import { charsOf, headOf } from './measure.ts';
import { isSinglePlace, parsePath, pickPath } from './path.ts';
import { findInItems, findInLines, findInObject, type Match } from './search.ts';
import { describeShape } from './shape.ts';

/** Which part of a kept result is wanted. */
export interface ResultWindow {
  path?: string;
  offset?: number;
  limit?: number;
  search?: string;
}

/** A part of a kept result; `next_offset` is where the next page begins, or null after the last one. */
export type ResultPage =
  | { kind: 'items'; items: JsonValue[]; offset: number; total: number; next_offset: number | null }
  | { kind: 'text'; text: string; offset: number; total: number; next_offset: number | null }
  | { kind: 'matches'; matches: Match[]; offset: number; total: number; next_offset: number | null }
  | { kind: 'value'; value: JsonValue };

const DEFAULT_ITEMS = 50;
const MAX_ITEMS = 1000;
const DEFAULT_CHARS = 8000;
/** A page has to fit into what may be handed over at once, whatever its items look like. */
const MAX_PAGE_CHARS = 16_000;
const HEAD_CHARS = 4000;

/** Reads one part of a value: first the path, then the search, then the page. */
export function readWindow(whole: JsonValue, window: ResultWindow): ResultPage {
  const value = window.path === undefined ? whole : valueAt(whole, window.path);
  const offset = atLeast(0, window.offset, 0);
  if (window.search !== undefined && window.search !== '') return searchPage(value, window.search, offset, window);
  if (Array.isArray(value)) return itemsPage(value, window, offset);
  if (typeof value === 'string') return textPage(value, offset, window.limit);
  if (charsOf(value) <= DEFAULT_CHARS) return { kind: 'value', value };
  return textPage(JSON.stringify(value, null, 2), offset, window.limit);
}

function valueAt(whole: JsonValue, path: string): JsonValue {
  const steps = parsePath(path);
  if (steps === null) {
    throw new ForgeError('invalid_argument', `the path ${JSON.stringify(path)} cannot be read`, {
      hint: 'Write it as a.b, a.b[0] or a[].b.',
    });
  }
  const value = pickPath(whole, steps);
  if (value === undefined) {
    throw new ForgeError('invalid_argument', `the result has nothing at ${path}`, {
      hint: `It is built like this: ${describeShape(whole)}`,
    });
  }
  return value;
}

function itemsPage(items: readonly JsonValue[], window: ResultWindow, offset: number): ResultPage {
  const limit = Math.min(atLeast(1, window.limit, DEFAULT_ITEMS), MAX_ITEMS);
  const placeOf = itemPlace(window.path);
  const wanted = items.slice(offset, offset + limit).map((item, index) => shortItem(item, placeOf(offset + index)));
  const page = fitting(wanted);
  return { kind: 'items', items: page, ...position(offset, page.length, items.length) };
}

/** The path of one item, where there is one: after `a[].b` the items come from many lists. */
function itemPlace(path = ''): (index: number) => string | null {
  const steps = parsePath(path);
  const isAddressable = steps !== null && isSinglePlace(steps);
  return (index) => (isAddressable ? `${path.trim()}[${index}]` : null);
}

/** An item that would fill a page by itself is shown by its beginning, with the path to read it by. */
function shortItem(item: JsonValue, path: string | null): JsonValue {
  const chars = charsOf(item);
  if (chars <= MAX_PAGE_CHARS / 2) return item;
  return {
    truncated: true,
    head: headOf(item, HEAD_CHARS),
    shape: describeShape(item),
    total_chars: chars,
    ...(path === null ? {} : { path }),
  };
}

function textPage(text: string, offset: number, wanted: number | undefined): ResultPage {
  const limit = Math.min(atLeast(1, wanted, DEFAULT_CHARS), MAX_PAGE_CHARS);
  const start = Math.min(offset, text.length);
  let end = Math.min(start + limit, text.length);
  // A character outside the basic plane takes two places, and belongs on one page; a page always moves on.
  if (end < text.length && isFirstHalf(text.charCodeAt(end - 1))) end += end - start > 1 ? -1 : 1;
  return { kind: 'text', text: text.slice(start, end), ...position(start, end - start, text.length) };
}

function searchPage(value: JsonValue, search: string, offset: number, window: ResultWindow): ResultPage {
  const limit = Math.min(atLeast(1, window.limit, DEFAULT_ITEMS), MAX_ITEMS);
  const placeOf = itemPlace(window.path);
  const found = findMatches(value, search.toLowerCase(), window.path?.trim() ?? '');
  const page = fitting(found.slice(offset, offset + limit).map((match) => shortMatch(match, placeOf)));
  return { kind: 'matches', matches: page, ...position(offset, page.length, found.length) };
}

function findMatches(value: JsonValue, needle: string, path: string): Match[] {
  if (Array.isArray(value)) return findInItems(value, needle);
  if (typeof value === 'object' && value !== null) return findInObject(value, needle, path);
  return findInLines(String(value), needle);
}

function shortMatch(match: Match, placeOf: (index: number) => string | null): Match {
  if ('item' in match) return { ...match, item: shortItem(match.item, placeOf(match.index)) };
  return 'value' in match ? { ...match, value: shortItem(match.value, match.path) } : match;
}

/** As many as fit on a page, and always one, so that reading on ends. */
function fitting<T extends JsonValue | Match>(wanted: readonly T[]): T[] {
  let room = MAX_PAGE_CHARS;
  const page: T[] = [];
  for (const entry of wanted) {
    room -= charsOf(entry) + 1;
    if (room < 0 && page.length > 0) break;
    page.push(entry);
  }
  return page;
}

function position(
  offset: number,
  count: number,
  total: number,
): { offset: number; total: number; next_offset: number | null } {
  const next = offset + count;
  return { offset, total, next_offset: next < total && count > 0 ? next : null };
}

function atLeast(smallest: number, wanted: number | undefined, otherwise: number): number {
  return wanted === undefined || !Number.isFinite(wanted) ? otherwise : Math.max(smallest, Math.floor(wanted));
}

function isFirstHalf(code: number): boolean {
  return (code & 0xfc00) === 0xd800;
}
