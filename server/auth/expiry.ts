// As a length of time such a number would be 31 years: it is a moment, counted from 1970.
const EPOCH_SECONDS_FROM = 1e9;
const EPOCH_MS_FROM = 1e12;

const NAMES_SECONDS = /(?:^expires_in|_secs?|_seconds|Secs?|Seconds)$/;
const NAMES_A_MOMENT = /(?:^exp|_at|At)$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}/;

/**
 * When a bearer expires, from the value at `expires_path`; null when the value says nothing usable (C-72).
 * A number, also as text, is milliseconds from now. It is seconds where the last name of the path is `expires_in` or ends in `_sec`,
 * `_seconds` or `Seconds`. A number too large for a length of time is a moment since 1970, in seconds under those names and under
 * `exp`, `…_at` and `…At`. An ISO date is understood too.
 */
export function readExpiry(value: unknown, path: string, now: number): number | null {
  const moment = momentOf(value, path, now);
  return Number.isFinite(moment) && moment > now ? moment : null;
}

function momentOf(value: unknown, path: string, now: number): number {
  if (typeof value === 'string' && ISO_DATE.test(value)) return Date.parse(value);
  const number = numberIn(value);
  if (number >= EPOCH_MS_FROM) return number;
  const name = path.slice(path.lastIndexOf('.') + 1);
  const isSeconds = NAMES_SECONDS.test(name);
  if (number >= EPOCH_SECONDS_FROM && (isSeconds || NAMES_A_MOMENT.test(name))) return number * 1000;
  return now + (isSeconds ? number * 1000 : number);
}

function numberIn(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}
