// A trie deeper than this costs memory and finds nothing more: what follows is compared directly.
const ANCHOR_CHARS = 64;

const ROOT = 0;

// A text is looked at through a window as wide as the shortest pattern. The characters at its end tell how far it may move.
const BLOCK_CHARS = 4;
const MIN_TABLE_BITS = 12;
const MAX_TABLE_BITS = 20;

/** A half-open range of a text. */
interface Range {
  readonly start: number;
  readonly end: number;
}

export interface PatternSearch {
  (text: string): Range[];
  /** From where on a text is undecided when more of it is to come: a pattern may have begun there. */
  undecidedFrom(text: string): number;
}

/**
 * Finds all given patterns in one pass over a text, however many there are (Aho and Corasick's automaton).
 * Ranges that overlap come as one. Of a pattern longer than 64 characters that much must be there, and the range
 * reaches as far as the text agrees with it, so that a cut-off copy is found as well.
 */
export function patternSearch(patterns: Iterable<string>): PatternSearch {
  const all = [...patterns].filter((pattern) => pattern !== '');
  const trie = { ...buildTrie(all), skips: skipsOf(all) };
  linkSuffixes(trie);
  return Object.assign((text: string) => search(trie, text, false).ranges, {
    undecidedFrom: (text: string) => {
      const { ranges, begunAt } = search(trie, text, true);
      const last = ranges.at(-1);
      // What was found must stay in one piece, and one that reaches the end may go on.
      return last !== undefined && (last.end > begunAt || last.end === text.length)
        ? Math.min(last.start, begunAt)
        : begunAt;
    },
  });
}

interface Node {
  readonly parent: number;
  readonly unit: number;
  readonly depth: number;
  /** The patterns whose first 64 characters end here. */
  readonly patterns: string[];
  /** The node of the longest proper suffix that is in the trie too. */
  suffix: number;
  /** How long the longest pattern start is that ends here; 0 for none. */
  matchLength: number;
}

interface Trie {
  readonly nodes: Node[];
  /** The child of a node for a UTF-16 unit; one map for all nodes takes far less memory than one for each. */
  readonly children: Map<number, number>;
}

interface SkippingTrie extends Trie {
  readonly skips: Skips | null;
}

/** How far the window may move for each block of characters at its end (Wu and Manber's table); 0 where a pattern may begin. */
interface Skips {
  readonly width: number;
  readonly byBlock: Uint8Array;
}

/** Null when a pattern is too short to have a block. */
function skipsOf(patterns: readonly string[]): Skips | null {
  const width = Math.min(ANCHOR_CHARS, ...patterns.map(({ length }) => length));
  if (width < BLOCK_CHARS) return null;
  // Sixteen places for each block keep accidents rare and the table within the processor's cache.
  const bits = Math.ceil(Math.log2(patterns.length * width * 16 + 1));
  const byBlock = new Uint8Array(2 ** Math.min(Math.max(bits, MIN_TABLE_BITS), MAX_TABLE_BITS));
  byBlock.fill(width - BLOCK_CHARS + 1);
  for (const pattern of patterns) {
    for (let end = BLOCK_CHARS - 1; end < width; end += 1) {
      const slot = blockSlot(pattern, end, byBlock.length - 1);
      byBlock[slot] = Math.min(byBlock[slot] ?? 0, width - 1 - end);
    }
  }
  return { width, byBlock };
}

/** Where the block that ends at `end` falls. Others fall there too now and then, and the trie tells them apart. */
function blockSlot(text: string, end: number, mask: number): number {
  const block =
    (text.charCodeAt(end) & 0xff) |
    ((text.charCodeAt(end - 1) & 0xff) << 8) |
    ((text.charCodeAt(end - 2) & 0xff) << 16) |
    (text.charCodeAt(end - 3) << 24);
  return (Math.imul(block, 0x9e3779b1) >>> (32 - MAX_TABLE_BITS)) & mask;
}

/** The first place from `from` on where a pattern may begin; none that begins later than the last window is whole. */
function nextStart({ width, byBlock }: Skips, text: string, from: number): number {
  const mask = byBlock.length - 1;
  for (let end = from + width - 1; end < text.length;) {
    const skip = byBlock[blockSlot(text, end, mask)] ?? 0;
    if (skip === 0) return end - width + 1;
    end += skip;
  }
  return Math.max(from, text.length - width + 1);
}

function buildTrie(patterns: Iterable<string>): Trie {
  const root: Node = { parent: ROOT, unit: 0, depth: 0, patterns: [], suffix: ROOT, matchLength: 0 };
  const nodes = [root];
  const children = new Map<number, number>();
  for (const pattern of patterns) {
    let parent = ROOT;
    for (let depth = 1; depth <= Math.min(pattern.length, ANCHOR_CHARS); depth += 1) {
      const unit = pattern.charCodeAt(depth - 1);
      let child = children.get(edge(parent, unit));
      if (child === undefined) {
        child = nodes.push({ parent, unit, depth, patterns: [], suffix: ROOT, matchLength: 0 }) - 1;
        children.set(edge(parent, unit), child);
      }
      parent = child;
    }
    nodes[parent]?.patterns.push(pattern);
  }
  return { nodes, children };
}

/** Shorter nodes first: a node's suffix is always shorter than the node itself. */
function linkSuffixes({ nodes, children }: Trie): void {
  for (const node of nodes.toSorted((a, b) => a.depth - b.depth)) {
    if (node.depth > 1) node.suffix = step({ nodes, children }, nodes[node.parent]?.suffix ?? ROOT, node.unit);
    node.matchLength = node.patterns.length > 0 ? node.depth : (nodes[node.suffix]?.matchLength ?? 0);
  }
}

/** The longest node that ends with the text read so far and one more unit. */
function step({ nodes, children }: Trie, from: number, unit: number): number {
  for (let state = from; ; state = nodes[state]?.suffix ?? ROOT) {
    const next = children.get(edge(state, unit));
    if (next !== undefined) return next;
    if (state === ROOT) return ROOT;
  }
}

/** What is found and, when the end counts too, where the longest beginning of a pattern starts that the text ends with. */
function search(trie: SkippingTrie, text: string, isEndWanted: boolean): { ranges: Range[]; begunAt: number } {
  const { nodes, skips } = trie;
  const ranges: Range[] = [];
  // How far the text was compared with each long pattern: no stretch is compared twice, however often a beginning recurs in it.
  let comparedTo: Map<string, number> | null = null;
  const lastStart = skips === null || isEndWanted ? text.length : text.length - skips.width;
  let state = ROOT;
  for (let index = 0; index < text.length; index += 1) {
    if (state === ROOT && skips !== null) {
      index = nextStart(skips, text, index);
      if (index > lastStart || index >= text.length) break;
    }
    state = step(trie, state, text.charCodeAt(index));
    const node = nodes[state];
    if (node === undefined || node.matchLength === 0) continue;
    const start = index + 1 - node.matchLength;
    let end = index + 1;
    for (const pattern of node.patterns) {
      if (pattern.length <= ANCHOR_CHARS || index < (comparedTo?.get(pattern) ?? 0)) continue;
      const reached = start + agreement(pattern, text, start);
      comparedTo = (comparedTo ?? new Map<string, number>()).set(pattern, reached);
      end = Math.max(end, reached);
    }
    addRange(ranges, start, end);
  }
  return { ranges, begunAt: text.length - (nodes[state]?.depth ?? 0) };
}

/** How many characters of the pattern the text has from `start` on. */
function agreement(pattern: string, text: string, start: number): number {
  let length = 0;
  while (length < pattern.length && pattern.charCodeAt(length) === text.charCodeAt(start + length)) length += 1;
  return length;
}

function addRange(ranges: Range[], start: number, end: number): void {
  let from = start;
  let to = end;
  for (let last = ranges.at(-1); last !== undefined && last.end > from; last = ranges.at(-1)) {
    from = Math.min(from, last.start);
    to = Math.max(to, last.end);
    ranges.pop();
  }
  ranges.push({ start: from, end: to });
}

function edge(node: number, unit: number): number {
  return node * 65536 + unit;
}
