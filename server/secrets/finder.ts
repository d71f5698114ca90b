import type { Range } from './pattern-search.ts';

/** Something that knows secrets and finds them in a text. What it knows may grow; `version` says when it has. */
export interface Finder {
  readonly version: number;
  readonly isEmpty: boolean;
  /** The length of the longest spelling it looks for. */
  readonly maxChars: number;
  /** Whether a secret of one line has spaces in it. */
  readonly hasSpaces: boolean;
  find(text: string): Range[];
  /** The same in a file, read as one character for each byte. */
  findBytes(bytes: string): Range[];
  /** From where on a text is undecided when more of it is to come. */
  undecidedFrom(text: string): number;
  /** What another thread needs to find the same. */
  data(): FinderData;
}

export type FinderData =
  | { kind: 'secrets'; secrets: readonly string[] }
  /** `words` are masked as if they were some of the secrets. */
  | { kind: 'guessable'; secrets: readonly string[]; words: readonly string[] };

/** What several finders find, by where it starts; ranges that overlap come as one. */
export function merged(ranges: Range[]): Range[] {
  if (ranges.length < 2) return ranges;
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.sort((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}
