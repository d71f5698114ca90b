// A trie deeper than this costs memory and finds nothing more: what follows is compared directly.
const ANCHOR_CHARS = 64;

const ROOT = 0;

// Almost every place of a text is ruled out by its next few characters alone, without a step in the trie.
const LEAD_CHARS = 4;
const MIN_LEAD_BITS = 12;
const MAX_LEAD_BITS = 20;

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
  const trie = { ...buildTrie(all), leads: all.every(({ length }) => length >= LEAD_CHARS) ? leadsOf(all) : null };
  linkSuffixes(trie);
  return Object.assign((text: string) => search(trie, text).ranges, {
    undecidedFrom: (text: string) => {
      const { ranges, begunAt } = search(trie, text);
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

/** With the marks of the first characters of all patterns, or null when one is too short to have them. */
interface LedTrie extends Trie {
  readonly leads: Uint8Array | null;
}

/** Marks where the beginning of a pattern falls. Others fall there too now and then, and the trie tells them apart. */
function leadsOf(patterns: readonly string[]): Uint8Array {
  // Sixty-four places for each pattern rule out most of a text and still fit the processor's cache.
  const bits = Math.ceil(Math.log2(patterns.length * 64 + 1));
  const leads = new Uint8Array(2 ** Math.min(Math.max(bits, MIN_LEAD_BITS), MAX_LEAD_BITS));
  const mask = leads.length - 1;
  for (const pattern of patterns) {
    let window = 0;
    for (let index = 0; index < LEAD_CHARS; index += 1) window = (window << 8) | (pattern.charCodeAt(index) & 0xff);
    leads[leadSlot(window) & mask] = 1;
  }
  return leads;
}

/** Spreads the low bytes of four characters evenly; as many of its low bits count as there are marks. */
function leadSlot(window: number): number {
  return Math.imul(window, 0x9e3779b1) >>> (32 - MAX_LEAD_BITS);
}

/** The first place from `from` on where a pattern may begin; the last few characters always count, for lack of a whole lead. */
function nextLead(leads: Uint8Array, text: string, from: number): number {
  const end = text.length - LEAD_CHARS + 1;
  const mask = leads.length - 1;
  if (from >= end) return from;
  let window = 0;
  for (let index = from; index < from + LEAD_CHARS - 1; index += 1)
    window = (window << 8) | (text.charCodeAt(index) & 0xff);
  for (let start = from; start < end; start += 1) {
    window = (window << 8) | (text.charCodeAt(start + LEAD_CHARS - 1) & 0xff);
    if (leads[leadSlot(window) & mask] === 1) return start;
  }
  return end;
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

/** What is found, and where the longest beginning of a pattern starts that the text ends with. */
function search(trie: LedTrie, text: string): { ranges: Range[]; begunAt: number } {
  const ranges: Range[] = [];
  // How far the text was compared with each long pattern: no stretch is compared twice, however often a beginning recurs in it.
  const comparedTo = new Map<string, number>();
  let state = ROOT;
  for (let index = 1; index <= text.length; index += 1) {
    if (state === ROOT && trie.leads !== null) index = nextLead(trie.leads, text, index - 1) + 1;
    if (index > text.length) break;
    state = step(trie, state, text.charCodeAt(index - 1));
    const node = trie.nodes[state];
    if (node === undefined || node.matchLength === 0) continue;
    const start = index - node.matchLength;
    let end = index;
    for (const pattern of node.patterns) {
      if (pattern.length <= ANCHOR_CHARS || index <= (comparedTo.get(pattern) ?? 0)) continue;
      const reached = start + agreement(pattern, text, start);
      comparedTo.set(pattern, reached);
      end = Math.max(end, reached);
    }
    addRange(ranges, start, end);
  }
  return { ranges, begunAt: text.length - (trie.nodes[state]?.depth ?? 0) };
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
