// A text is looked at through a window as wide as the shortest pattern. The characters at its end tell how far it may move.
const BLOCK_CHARS = 4;
const MIN_TABLE_BITS = 12;
const MAX_TABLE_BITS = 20;

/** How far the window may move for each block of characters at its end (Wu and Manber's table); 0 where a pattern may begin. */
export interface Skips {
  readonly width: number;
  readonly byBlock: Uint8Array;
}

/** Null when a pattern is too short to have a block. */
export function skipsOf(patterns: readonly string[], maxWidth: number): Skips | null {
  let width = maxWidth;
  for (const { length } of patterns) width = Math.min(width, length);
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

/** The first place from `from` on where a pattern may begin; none that begins later than the last window is whole. */
export function nextStart({ width, byBlock }: Skips, text: string, from: number): number {
  const mask = byBlock.length - 1;
  for (let end = from + width - 1; end < text.length;) {
    const skip = byBlock[blockSlot(text, end, mask)] ?? 0;
    if (skip === 0) return end - width + 1;
    end += skip;
  }
  return Math.max(from, text.length - width + 1);
}

/** Where the block that ends at `end` falls. Others fall there too now and then, and the patterns themselves tell them apart. */
function blockSlot(text: string, end: number, mask: number): number {
  const block =
    (text.charCodeAt(end) & 0xff) |
    ((text.charCodeAt(end - 1) & 0xff) << 8) |
    ((text.charCodeAt(end - 2) & 0xff) << 16) |
    (text.charCodeAt(end - 3) << 24);
  return (Math.imul(block, 0x9e3779b1) >>> (32 - MAX_TABLE_BITS)) & mask;
}
