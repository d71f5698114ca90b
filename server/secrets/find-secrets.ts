import { merged, type Finder } from './finder.ts';
import type { Range } from './pattern-search.ts';
import { unwrapLines } from './unwrap-lines.ts';

/** What any of the finders knows, as it is and across the line breaks that an encoder has put into it. */
export function findSecrets(finders: readonly Pick<Finder, 'isEmpty' | 'find'>[], text: string): Range[] {
  const unwrapped = unwrapLines(text);
  const ranges: Range[] = [];
  for (const finder of finders) {
    if (finder.isEmpty) continue;
    ranges.push(...finder.find(text));
    if (unwrapped === null) continue;
    for (const { start, end } of finder.find(unwrapped.text))
      ranges.push({ start: unwrapped.original(start), end: unwrapped.original(end - 1) + 1 });
  }
  return merged(ranges);
}

/** From where on a text is undecided that ends with a line, or with a word where no secret has spaces. */
export function undecidedFrom(finders: readonly Finder[], text: string): number {
  const unwrapped = unwrapLines(text);
  let cut = text.length;
  for (const finder of finders) {
    if (finder.isEmpty) continue;
    cut = Math.min(cut, finder.undecidedFrom(text));
    if (unwrapped !== null) cut = Math.min(cut, unwrapped.original(finder.undecidedFrom(unwrapped.text)));
  }
  return cut;
}
