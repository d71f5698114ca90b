import { displayWidth } from '../table.ts';

export interface FittedColumns {
  /** How many columns fit, from the left. */
  count: number;
  /** The width each of them gets. */
  widths: number[];
}

const GAP = 2;
const WIDEST = 60;
/** A column is left out rather than made narrower than this. */
const NARROWEST = 10;

/** Shares a screen's width among columns: the widest give way first, and what then does not fit is left out at the right. */
export function fitColumns(rows: readonly (readonly string[])[], width: number): FittedColumns {
  const natural = (rows[0] ?? []).map((_cell, index) =>
    Math.min(WIDEST, Math.max(...rows.map((row) => displayWidth(row[index] ?? '')))),
  );
  let count = 0;
  for (let used = 0; count < natural.length; count += 1) {
    used += Math.min(natural[count] ?? 0, NARROWEST) + (count === 0 ? 0 : GAP);
    if (used > width && count > 0) break;
  }
  const widths = natural.slice(0, count);
  const room = width - GAP * (count - 1);
  for (let over = sum(widths) - room; over > 0; over -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= NARROWEST) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return { count, widths };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
