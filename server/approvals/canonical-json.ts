import { ForgeError } from '../../shared/errors.ts';

/** Deeper arguments are refused, because walking them could exhaust the stack. */
const MAX_DEPTH = 100;

/** JSON in which equal values are equal texts: keys sorted, nothing between the parts, what JSON cannot say left out. */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) {
    throw new ForgeError('invalid_argument', `The arguments are nested more than ${MAX_DEPTH} levels deep.`);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null, depth + 1)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item, depth + 1)}`);
  return `{${fields.join(',')}}`;
}
