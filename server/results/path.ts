import { ForgeError } from '../../shared/errors.ts';
import { isForbiddenKey, ownValue, type JsonValue } from '../../shared/json.ts';

/** One step into a value: a property, one item of a list, or all of its items. */
export type PathStep = { kind: 'key'; key: string } | { kind: 'index'; index: number } | { kind: 'each' };

const STEP = /(?:^|\.)([^.[\]]+)|\[(\*?)\]|\[(\d+)\]|\["([^"]+)"\]|\['([^']+)'\]/y;

/** Reads `a.b[0]`, `a[].b` or `a["b.c"]`; null for a path that cannot be read or that reaches for a prototype. */
export function parsePath(text: string): PathStep[] | null {
  const path = text.trim().replace(/^\$(?=$|[.[])/, '');
  const steps: PathStep[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (match === null) return null;
    const key = match[1] ?? match[4] ?? match[5];
    if (key !== undefined) {
      if (isForbiddenKey(key)) return null;
      steps.push({ kind: 'key', key });
    } else {
      steps.push(match[3] === undefined ? { kind: 'each' } : { kind: 'index', index: Number(match[3]) });
    }
  }
  return steps;
}

/** The steps of a path in a manifest, or an error that names its key. */
export function requirePath(text: string, key: string): PathStep[] {
  const steps = parsePath(text);
  if (steps === null) throw unreadablePath(key, text);
  return steps;
}

export function unreadablePath(key: string, text: string): ForgeError {
  return new ForgeError(
    'connector_broken',
    `${key} of the tool has a path that cannot be read: ${JSON.stringify(text)}`,
    { hint: 'Write it as a.b, a.b[0] or a[].b in the connector’s manifest.yaml.' },
  );
}

/** True when a path leads to at most one place. */
export function isSinglePlace(steps: readonly PathStep[]): boolean {
  return steps.every((step) => step.kind !== 'each');
}

/** The value at a path, or undefined. A path through lists gives one list, however many of them it crosses. */
export function pickPath(value: JsonValue, steps: readonly PathStep[]): JsonValue | undefined {
  const found: JsonValue[] = [];
  const isList = collect(value, steps, 0, found);
  return isList ? found : found[0];
}

/** Adds what a path leads to; true when it went through a list. A property of a list means that of each of its items. */
function collect(value: JsonValue, steps: readonly PathStep[], at: number, found: JsonValue[]): boolean {
  const step = steps[at];
  if (step === undefined) {
    found.push(value);
    return false;
  }
  if (step.kind === 'each' || (step.kind === 'key' && Array.isArray(value))) {
    if (!Array.isArray(value)) return false;
    const next = step.kind === 'each' ? at + 1 : at;
    for (const item of value) collect(item, steps, next, found);
    return true;
  }
  const child = step.kind === 'key' ? ownJson(value, step.key) : Array.isArray(value) ? value[step.index] : undefined;
  return child === undefined ? false : collect(child, steps, at + 1, found);
}

/** An own property of a JSON value. */
export function ownJson(value: JsonValue, key: string): JsonValue | undefined {
  return ownValue(value, key) as JsonValue | undefined; // what a JSON value holds is JSON
}
