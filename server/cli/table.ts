import type { Style } from './terminal.ts';

export interface Column {
  title: string;
  /** Cut to what is left of the line. */
  flexible?: boolean;
  /** Somebody else's words: not in capitals. */
  asWritten?: boolean;
}

export type Cell = string | { text: string; style: Style };

interface TableOptions {
  width: number | undefined;
  paint: (style: Style, text: string) => string;
}

const GAP = '  ';
const MIN_FLEXIBLE = 12;
const PLAIN = /^[\x20-\x7e]*$/;
const WIDE =
  /\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;

/** Columns aligned by what a terminal shows; with a width, the flexible column is cut so that no line wraps. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { width, paint }: TableOptions,
): string[] {
  const titles = columns.map(({ title, asWritten }) => (asWritten === true ? title : title.toUpperCase()));
  const all = [titles.map((text): Cell => ({ text, style: 'dim' })), ...rows];
  const widths = columns.map((_column, index) => Math.max(...all.map((row) => displayWidth(textOf(row[index])))));
  const flexible = columns.findIndex((column) => column.flexible === true);
  if (width !== undefined && flexible >= 0) {
    const others = widths.reduce((sum, size, index) => (index === flexible ? sum : sum + size + GAP.length), 0);
    widths[flexible] = Math.min(widths[flexible] ?? 0, Math.max(MIN_FLEXIBLE, width - others));
  }
  return all.map((row) =>
    widths
      .map((size, index) => fill(row[index] ?? '', size, index === widths.length - 1, paint))
      .join(GAP)
      .trimEnd(),
  );
}

function fill(cell: Cell, size: number, isLast: boolean, paint: TableOptions['paint']): string {
  const text = cut(textOf(cell), size);
  const padding = isLast ? '' : ' '.repeat(Math.max(0, size - displayWidth(text)));
  return (typeof cell === 'string' || text === '' ? text : paint(cell.style, text)) + padding;
}

function textOf(cell: Cell | undefined): string {
  return typeof cell === 'object' ? cell.text : (cell ?? '');
}

/** Shortens a text to a number of terminal columns. */
export function cut(text: string, size: number): string {
  if (displayWidth(text) <= size) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (displayWidth(kept + segment) > size - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** How many columns a text takes: emoji and East Asian characters take two. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return [...new Intl.Segmenter().segment(text)].reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0);
}
