import { unitIn, type ExpiryUnit } from '../../shared/manifest/expiry-unit.ts';

// As a length of time such a number would be 31 years: it is a moment, counted from 1970.
const EPOCH_SECONDS_FROM = 1e9;
const EPOCH_MS_FROM = 1e12;

const ISO_DATE = /^\d{4}-\d{2}-\d{2}/;

/**
 * When a bearer expires, from the value at `expires_path`; null when the value says nothing usable (C-72).
 * Without a unit, an ISO date and a moment in milliseconds are recognised by themselves, and a number is read as what the last name of the
 * path says: seconds for `expires_in`, `…_sec`, `…_seconds` and `…Seconds`, milliseconds for `…_ms`, `…Ms` and `…Milliseconds`, a moment in
 * seconds for `exp`, `…_at` and `…At`. Under any other name its unit is not guessed.
 */
export function readExpiry(value: unknown, path: string, now: number, unit: ExpiryUnit | null = null): number | null {
  const moment = momentOf(value, path, now, unit);
  return moment !== null && Number.isFinite(moment) && moment > now ? moment : null;
}

function momentOf(value: unknown, path: string, now: number, unit: ExpiryUnit | null): number | null {
  const isDate = typeof value === 'string' && ISO_DATE.test(value);
  if (isDate) return unit === null || unit === 'iso' ? Date.parse(value) : null;
  const number = numberIn(value);
  const known = unit ?? unitIn(path);
  if (known === 's') return number >= EPOCH_SECONDS_FROM ? secondsOrMs(number, unit) : now + number * 1000;
  if (known === 'ms') return number >= EPOCH_MS_FROM ? number : now + number;
  if (known === 'moment' && number >= EPOCH_SECONDS_FROM) return secondsOrMs(number, unit);
  return unit === null && number >= EPOCH_MS_FROM ? number : null;
}

/** A name may be wrong about the unit of a moment, and its size shows it; what the manifest says outright is taken as it is. */
function secondsOrMs(number: number, unit: ExpiryUnit | null): number {
  return unit === null && number >= EPOCH_MS_FROM ? number : number * 1000;
}

function numberIn(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}
