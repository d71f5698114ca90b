import { patternSearch, type PatternSearch } from './pattern-search.ts';
import { unwrapLines } from './unwrap-lines.ts';

type Ranges = ReturnType<PatternSearch>;

/** Finds patterns as they are, and across the line breaks that an encoder has put into them. */
export function secretSearch(patterns: Iterable<string>): PatternSearch {
  const find = patternSearch(patterns);
  const findAll = (text: string): Ranges => {
    const unwrapped = unwrapLines(text);
    if (unwrapped === null) return find(text);
    const { original } = unwrapped;
    const across = find(unwrapped.text).map(({ start, end }) => ({
      start: original(start),
      end: original(end - 1) + 1,
    }));
    return merged([...find(text), ...across]);
  };
  const undecidedFrom = (text: string): number => {
    const unwrapped = unwrapLines(text);
    const plain = find.undecidedFrom(text);
    if (unwrapped === null) return plain;
    const cut = Math.min(plain, unwrapped.original(find.undecidedFrom(unwrapped.text)));
    // What was found must stay in one piece.
    return findAll(text).find(({ start, end }) => start < cut && cut < end)?.start ?? cut;
  };
  return Object.assign(findAll, { undecidedFrom });
}

function merged(ranges: Ranges): Ranges {
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.sort((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}
