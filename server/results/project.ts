import { isForbiddenKey, type JsonValue } from '../../shared/json.ts';
import type { AnswerChecks } from './check-answer.ts';
import { ownJson, pickPath, requirePath, unreadablePath, type PathStep } from './path.ts';

/** The part of a tool that says what of a response is handed on, and when it is a failure. */
export interface Projection extends AnswerChecks {
  items_path?: string | undefined;
  response_fields?: readonly string[] | Readonly<Record<string, string>> | undefined;
}

/** The wanted paths, laid over each other, so that a response is walked once. */
interface Wanted {
  isWhole: boolean;
  fields: Map<string, Wanted>;
  indexes: Map<number, Wanted>;
  each: Wanted | null;
}

interface Renamed {
  name: string;
  steps: readonly PathStep[];
}

type Fields = { kind: 'all' } | { kind: 'shape'; wanted: Wanted } | { kind: 'renamed'; fields: readonly Renamed[] };

interface Compiled {
  items: readonly PathStep[] | null;
  fields: Fields;
}

// A tool lives as long as its manifest does, so its paths are read once and not at every call.
const compiledOf = new WeakMap<Projection, Compiled>();

/** Descends to `items_path`, then keeps or renames what `response_fields` asks for. A response without the items is handed on whole. */
export function projectResult(value: JsonValue, projection: Projection): JsonValue {
  if (projection.items_path === undefined && projection.response_fields === undefined) return value;
  let compiled = compiledOf.get(projection);
  if (compiled === undefined) {
    compiled = compile(projection);
    compiledOf.set(projection, compiled);
  }
  const items = compiled.items === null ? value : pickPath(value, compiled.items);
  // Services say in another shape that something went wrong, and then that is what the caller has to see.
  if (items === undefined) return value;
  if (typeof items !== 'object' || items === null) return items;
  switch (compiled.fields.kind) {
    case 'all':
      return items;
    case 'shape':
      return keep(items, compiled.fields.wanted) ?? items;
    case 'renamed':
      return rename(items, compiled.fields.fields);
  }
}

function keep(value: JsonValue, wanted: Wanted): JsonValue | undefined {
  if (wanted.isWhole) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return keepItems(value, wanted);
  const kept: Record<string, JsonValue> = {};
  for (const [key, child] of wanted.fields) {
    const found = ownJson(value, key);
    const part = found === undefined ? undefined : keep(found, child);
    if (part !== undefined && (child.isWhole || !isEmptyObject(part))) kept[key] = part;
  }
  return kept;
}

function keepItems(items: readonly JsonValue[], wanted: Wanted): JsonValue[] {
  const kept: JsonValue[] = [];
  const add = (item: JsonValue | undefined, child: Wanted): void => {
    const part = item === undefined ? undefined : keep(item, child);
    if (part !== undefined) kept.push(part);
  };
  if (wanted.each === null && wanted.fields.size === 0) {
    for (const [index, child] of wanted.indexes) add(items[index], child);
  } else {
    for (const item of items) add(item, wanted.each ?? wanted);
  }
  return kept;
}

function rename(value: JsonValue, fields: readonly Renamed[]): JsonValue {
  const isPerItem = Array.isArray(value) && fields.every(({ steps }) => steps[0]?.kind === 'key');
  return isPerItem ? value.map((item) => renameOne(item, fields)) : renameOne(value, fields);
}

function renameOne(value: JsonValue, fields: readonly Renamed[]): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  const renamed: Record<string, JsonValue> = {};
  for (const { name, steps } of fields) {
    const found = pickPath(value, steps);
    if (found !== undefined) renamed[name] = found;
  }
  return renamed;
}

function compile({ items_path: items, response_fields: fields }: Projection): Compiled {
  return {
    items: items === undefined ? null : requirePath(items, 'items_path'),
    fields: fields === undefined ? { kind: 'all' } : compileFields(fields),
  };
}

function compileFields(fields: readonly string[] | Readonly<Record<string, string>>): Fields {
  if (isList(fields)) {
    const wanted = nothing();
    for (const field of fields) want(wanted, requirePath(field, 'response_fields'));
    return { kind: 'shape', wanted };
  }
  return {
    kind: 'renamed',
    fields: Object.entries(fields).map(([name, path]) => {
      if (isForbiddenKey(name)) throw unreadablePath('response_fields', name);
      return { name, steps: requirePath(path, 'response_fields') };
    }),
  };
}

function want(root: Wanted, steps: readonly PathStep[]): void {
  let node = root;
  for (const step of steps) node = child(node, step);
  node.isWhole = true;
}

function child(node: Wanted, step: PathStep): Wanted {
  if (step.kind === 'each') return (node.each ??= nothing());
  if (step.kind === 'key') return existing(node.fields, step.key);
  return existing(node.indexes, step.index);
}

function existing<K>(children: Map<K, Wanted>, key: K): Wanted {
  const known = children.get(key) ?? nothing();
  children.set(key, known);
  return known;
}

function nothing(): Wanted {
  return { isWhole: false, fields: new Map(), indexes: new Map(), each: null };
}

// Array.isArray does not narrow a readonly list.
function isList(fields: readonly string[] | Readonly<Record<string, string>>): fields is readonly string[] {
  return Array.isArray(fields);
}

function isEmptyObject(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
