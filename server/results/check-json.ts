import { MAX_DEPTH } from './parse-json.ts';

/** What keeps a value from being JSON, and where; null when it is. `undefined` counts as nothing returned. */
export function checkJson(value: unknown): string | null {
  return value === undefined ? null : check(value, '', MAX_DEPTH);
}

function check(value: unknown, place: string, levels: number): string | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  const where = place === '' ? '' : ` at ${place}`;
  if (typeof value === 'number') return Number.isFinite(value) ? null : `${value}${where}`;
  if (typeof value !== 'object') return `${typeof value}${where}`;
  if (levels === 0) return `it refers to itself, or is nested too deep${where.slice(0, 100)}`;
  if (Array.isArray(value)) return checkEach(value.entries(), (key) => `${place}[${key}]`, levels);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return `${kindOf(value)}${where}`;
  return checkEach(Object.entries(value), (key) => (place === '' ? String(key) : `${place}.${key}`), levels);
}

function checkEach(
  entries: Iterable<[string | number, unknown]>,
  placeOf: (key: string | number) => string,
  levels: number,
): string | null {
  for (const [key, child] of entries) {
    const problem = check(child, placeOf(key), levels - 1);
    if (problem !== null) return problem;
  }
  return null;
}

function kindOf(value: object): string {
  const { constructor } = value;
  return typeof constructor === 'function' ? constructor.name : 'an object of its own kind';
}
