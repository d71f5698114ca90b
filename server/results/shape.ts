import type { JsonValue } from '../../shared/json.ts';
import { clipText } from './cut-text.ts';

const MAX_LEVELS = 5;
const MAX_KEYS = 40;
const SAMPLED_ITEMS = 50;
const LONG_TEXT = 200;
const MAX_CHARS = 2000;

/** What is known about the values seen at one place. */
interface Seen {
  count: number;
  scalars: Set<string>;
  longest: number;
  lists: { count: number; smallest: number; largest: number; items: Seen } | null;
  objects: { count: number; fields: Map<string, Seen>; moreKeys: number } | null;
}

/** Says how a value is built: keys, types and counts, from a sample of each list, e.g. `list of 250: {id: number, note?: text}`. */
export function describeShape(value: JsonValue): string {
  if (typeof value === 'string') return `text: ${value.length} characters in ${countLines(value)} lines`;
  const seen = nothingSeen();
  look(value, seen, MAX_LEVELS);
  return clipText(describe(seen), MAX_CHARS);
}

function look(value: JsonValue, seen: Seen, levels: number): void {
  seen.count += 1;
  if (Array.isArray(value)) {
    seen.lists ??= { count: 0, smallest: value.length, largest: value.length, items: nothingSeen() };
    seen.lists.count += 1;
    seen.lists.smallest = Math.min(seen.lists.smallest, value.length);
    seen.lists.largest = Math.max(seen.lists.largest, value.length);
    if (levels > 0) for (const item of sample(value)) look(item, seen.lists.items, levels - 1);
  } else if (typeof value === 'object' && value !== null) {
    seen.objects ??= { count: 0, fields: new Map(), moreKeys: 0 };
    seen.objects.count += 1;
    if (levels > 0) lookAtFields(value, seen.objects, levels);
  } else {
    seen.scalars.add(value === null ? 'null' : typeof value === 'string' ? 'text' : typeof value);
    if (typeof value === 'string') seen.longest = Math.max(seen.longest, value.length);
  }
}

function lookAtFields(value: Record<string, JsonValue>, objects: NonNullable<Seen['objects']>, levels: number): void {
  const keys = Object.keys(value);
  objects.moreKeys = Math.max(objects.moreKeys, keys.length - MAX_KEYS);
  for (const key of keys) {
    let field = objects.fields.get(key);
    if (field === undefined) {
      if (objects.fields.size >= MAX_KEYS) continue;
      field = nothingSeen();
      objects.fields.set(key, field);
    }
    const child = value[key];
    if (child !== undefined) look(child, field, levels - 1);
  }
}

/** Items from all over the list: the first ones are often alike. */
function sample(items: readonly JsonValue[]): JsonValue[] {
  const step = Math.max(1, Math.floor(items.length / SAMPLED_ITEMS));
  const picked: JsonValue[] = [];
  for (let index = 0; index < items.length && picked.length < SAMPLED_ITEMS; index += step) {
    const item = items[index];
    if (item !== undefined) picked.push(item);
  }
  return picked;
}

function describe(seen: Seen): string {
  const kinds = [...seen.scalars].map((kind) =>
    kind === 'text' && seen.longest > LONG_TEXT ? `text (up to ${seen.longest} characters)` : kind,
  );
  if (seen.lists !== null) {
    const { smallest, largest, items } = seen.lists;
    const count = smallest === largest ? String(largest) : `${smallest} to ${largest}`;
    kinds.push(items.count === 0 ? `list of ${count}` : `list of ${count}: ${describe(items)}`);
  }
  if (seen.objects !== null) kinds.push(describeFields(seen.objects));
  return kinds.join(' or ');
}

function describeFields({ count, fields, moreKeys }: NonNullable<Seen['objects']>): string {
  if (fields.size === 0) return 'object';
  const parts = [...fields].map(([key, field]) => {
    const isOptional = field.count < count;
    return `${/^[\w-]+$/.test(key) ? key : JSON.stringify(key)}${isOptional ? '?' : ''}: ${describe(field)}`;
  });
  if (moreKeys > 0) parts.push(`… ${moreKeys} more keys`);
  return `{${parts.join(', ')}}`;
}

function nothingSeen(): Seen {
  return { count: 0, scalars: new Set(), longest: 0, lists: null, objects: null };
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
