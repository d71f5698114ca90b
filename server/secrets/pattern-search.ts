import { skipsOf, nextStart, type Skips } from './pattern-skips.ts';

// Of a longer pattern this much must be there; what follows is compared directly.
const ANCHOR_CHARS = 64;

const ROOT = 0;
const NONE = 0;
const SPACE = 0x20;

/** A half-open range of a text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds all of its patterns in one pass over a text, however many there are, and takes new ones at any time for what they cost
 * themselves. Ranges that overlap come as one.
 *
 * Of a pattern longer than 64 characters that much must be there. The range then reaches as far as the text agrees with it and on to
 * the next space, so that a cut-off copy is found as well, and where a range ends does not say how much of a copy is right.
 */
export class PatternSearch {
  readonly #patterns: string[] = [];
  readonly #known = new Set<string>();
  /** Beginnings that go on behind the anchor, by the node where the anchor ends. */
  readonly #long = new Map<number, string[]>();
  readonly #roots = new Map<number, number>();
  #units = new Uint16Array(64);
  #children = new Int32Array(64);
  #siblings = new Int32Array(64);
  #isEnd = new Uint8Array(64);
  #nodes = 1;
  #skips: Skips | null | undefined;
  #maxChars = 0;

  /** The length of the longest pattern. */
  get maxChars(): number {
    return this.#maxChars;
  }

  add(pattern: string): void {
    if (pattern === '' || this.#known.has(pattern)) return;
    this.#known.add(pattern);
    this.#patterns.push(pattern);
    this.#maxChars = Math.max(this.#maxChars, pattern.length);
    this.#skips = undefined;
    let node = ROOT;
    const depth = Math.min(pattern.length, ANCHOR_CHARS);
    for (let index = 0; index < depth; index += 1) {
      const unit = pattern.charCodeAt(index);
      node = this.#child(node, unit) || this.#grow(node, unit);
    }
    if (pattern.length <= ANCHOR_CHARS) this.#isEnd[node] = 1;
    else this.#long.set(node, [...(this.#long.get(node) ?? []), pattern]);
  }

  find(text: string): Range[] {
    const ranges: Range[] = [];
    if (this.#patterns.length === 0) return ranges;
    this.#skips ??= skipsOf(this.#patterns, ANCHOR_CHARS);
    const copies = new LongCopies(text);
    const skips = this.#skips;
    const last = skips === null ? text.length - 1 : text.length - skips.width;
    for (let start = 0; start <= last; start += 1) {
      if (skips !== null) {
        start = nextStart(skips, text, start);
        if (start > last) break;
      }
      const end = this.#longestFrom(text, start, copies);
      if (end > start) addRange(ranges, start, end);
    }
    return ranges;
  }

  /** From where on a text is undecided when more of it is to come: a pattern may have begun there. */
  undecidedFrom(text: string): number {
    const begun = this.#begunAt(text);
    const last = this.find(text).at(-1);
    // What was found must stay in one piece, and one that reaches the end may go on.
    return last !== undefined && (last.end > begun || last.end === text.length) ? Math.min(last.start, begun) : begun;
  }

  /** Where the longest beginning of a pattern starts that the text ends with. */
  #begunAt(text: string): number {
    for (let start = Math.max(0, text.length - ANCHOR_CHARS); start < text.length; start += 1) {
      let node = ROOT;
      let index = start;
      while (index < text.length) {
        node = this.#child(node, text.charCodeAt(index));
        if (node === NONE) break;
        index += 1;
      }
      if (index === text.length && node !== NONE) return start;
    }
    return text.length;
  }

  /** The end of the longest pattern that begins here; the place itself when none does. */
  #longestFrom(text: string, start: number, copies: LongCopies): number {
    let node = ROOT;
    let end = start;
    for (let index = start; index < text.length; index += 1) {
      node = this.#child(node, text.charCodeAt(index));
      if (node === NONE) return end;
      if (this.#isEnd[node] === 1) end = index + 1;
      if (index + 1 - start === ANCHOR_CHARS) {
        const long = this.#long.get(node);
        return long === undefined ? end : Math.max(end, copies.endOf(long, start));
      }
    }
    return end;
  }

  #child(node: number, unit: number): number {
    if (node === ROOT) return this.#roots.get(unit) ?? NONE;
    let child = this.#children[node] ?? NONE;
    while (child !== NONE && this.#units[child] !== unit) child = this.#siblings[child] ?? NONE;
    return child;
  }

  #grow(parent: number, unit: number): number {
    const node = this.#nodes;
    this.#nodes += 1;
    if (node >= this.#units.length) this.#enlarge();
    this.#units[node] = unit;
    if (parent === ROOT) this.#roots.set(unit, node);
    else {
      this.#siblings[node] = this.#children[parent] ?? NONE;
      this.#children[parent] = node;
    }
    return node;
  }

  #enlarge(): void {
    const size = this.#units.length * 2;
    const larger = <T extends Uint16Array | Int32Array | Uint8Array>(made: T, old: T): T => {
      made.set(old);
      return made;
    };
    this.#units = larger(new Uint16Array(size), this.#units);
    this.#children = larger(new Int32Array(size), this.#children);
    this.#siblings = larger(new Int32Array(size), this.#siblings);
    this.#isEnd = larger(new Uint8Array(size), this.#isEnd);
  }
}

/** Copies of long patterns in one text. No stretch is compared or walked along twice, however often a beginning recurs in it. */
class LongCopies {
  readonly #text: string;
  readonly #comparedTo = new Map<string, number>();
  #word: Range = { start: 0, end: 0 };

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the longest copy of these patterns ends; all of them begin like the text does at `start`. */
  endOf(patterns: readonly string[], start: number): number {
    let whole = start + ANCHOR_CHARS;
    let partial = 0;
    for (const pattern of patterns) {
      if (start + ANCHOR_CHARS <= (this.#comparedTo.get(pattern) ?? 0)) continue;
      const end = this.#agreesTo(pattern, start);
      if (end - start === pattern.length) whole = Math.max(whole, end);
      else partial = Math.max(partial, end);
    }
    return partial > whole || (partial === whole && whole === start + ANCHOR_CHARS) ? this.#endOfWord(partial) : whole;
  }

  #agreesTo(pattern: string, start: number): number {
    let end = start + ANCHOR_CHARS;
    while (end - start < pattern.length && pattern.charCodeAt(end - start) === this.#text.charCodeAt(end)) end += 1;
    this.#comparedTo.set(pattern, end);
    return end;
  }

  #endOfWord(from: number): number {
    if (from < this.#word.start || from > this.#word.end) {
      let end = from;
      while (end < this.#text.length && this.#text.charCodeAt(end) > SPACE) end += 1;
      this.#word = { start: from, end };
    }
    return this.#word.end;
  }
}

/** Ranges come by where they start. */
function addRange(ranges: Range[], start: number, end: number): void {
  const last = ranges.at(-1);
  if (last === undefined || last.end <= start) ranges.push({ start, end });
  else if (last.end < end) ranges[ranges.length - 1] = { start: last.start, end };
}
