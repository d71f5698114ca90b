import { UsageError } from './usage-error.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const EDGES = { start: 'T00:00:00.000', end: 'T23:59:59.999' } as const;

/** A moment as ISO 8601; a day is its beginning or its end, as the clock on the wall says. */
export function readTime(flag: string, text: string, edge: keyof typeof EDGES): string {
  const time = new Date(DAY.test(text) ? `${text}${EDGES[edge]}` : text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new UsageError(`${flag} is ${JSON.stringify(text.slice(0, 60))}`, 'Give a date such as 2026-01-31.');
}
