import { Secret } from '../../shared/secret.ts';
import type { Range } from './pattern-search.ts';

export const MASK = String(new Secret(''));

/** A part of a text, with what was found in it masked. */
export function masked(text: string, ranges: readonly Range[], from = 0, to = text.length): string {
  let result = '';
  let copied = from;
  for (const { start, end } of ranges) {
    if (end <= from || start >= to) continue;
    result += text.slice(copied, start) + MASK;
    copied = end;
  }
  return result + text.slice(copied, to);
}
