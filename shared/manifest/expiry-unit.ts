import type { Auth } from './schema/auth.ts';

/** What `expires_unit` says: seconds or milliseconds, from now or since 1970, or an ISO date. */
export type ExpiryUnit = NonNullable<Extract<Auth, { type: 'bearer-token-exchange' }>['expires_unit']>;

const NAMES_SECONDS = /(?:^expires_in|_secs?|_seconds|Secs?|Seconds)$/;
const NAMES_MS = /(?:_ms|Ms|_millis|Millis|[_Mm]illiseconds)$/;
const NAMES_A_MOMENT = /(?:^exp|_at|At)$/;

/** The unit that the last name of a path says, if it says one. */
export function unitIn(path: string): 's' | 'ms' | 'moment' | null {
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (NAMES_MS.test(name)) return 'ms';
  if (NAMES_SECONDS.test(name)) return 's';
  return NAMES_A_MOMENT.test(name) ? 'moment' : null;
}
