import { isRecord } from '../json.ts';

/**
 * A copy in which every alias has become a value of its own: two tools that were written with one anchor must not be one object, because
 * what is kept for the one would then be found for the other. The document has been counted with its aliases written out.
 */
export function unshared(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unshared);
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unshared(item)]));
  if (typeof value !== 'number') return value;
  if (!Number.isFinite(value)) throw new RangeError(`${value} cannot be used as a number`);
  // JSON knows no negative zero, and what is kept as JSON must be what was read.
  return value === 0 ? 0 : value;
}
