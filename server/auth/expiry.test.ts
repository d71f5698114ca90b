import { expect, it } from 'vitest';
import { readExpiry } from './expiry.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');
const IN_AN_HOUR = Date.parse('2026-03-01T01:00:00Z');

it.each([
  ['milliseconds', 3_600_000, 'expiresInMilliseconds', IN_AN_HOUR],
  ['milliseconds as text', '3600000', 'expiresInMilliseconds', IN_AN_HOUR],
  ['milliseconds under a name that says nothing', 3_600_000, 'data.lifetime', IN_AN_HOUR],
  ['21 days in milliseconds, which is no moment of the year 2027', 1_814_400_000, 'lifetime', NOW + 1_814_400_000],
  ['seconds in expires_in', 3600, 'expires_in', IN_AN_HOUR],
  ['seconds as text in a nested expires_in', '3600', 'result.expires_in', IN_AN_HOUR],
  ['seconds in a name that ends in _sec', 3600, 'ttl_sec', IN_AN_HOUR],
  ['seconds in a name that ends in _seconds', 3600, 'expires_in_seconds', IN_AN_HOUR],
  ['seconds in a name that ends in Seconds', 3600, 'expiresInSeconds', IN_AN_HOUR],
  ['milliseconds written with underscores', 3_600_000, 'expires_in_milliseconds', IN_AN_HOUR],
  ['a moment in milliseconds', IN_AN_HOUR, 'expiresInMilliseconds', IN_AN_HOUR],
  ['a moment in seconds in exp', IN_AN_HOUR / 1000, 'claims.exp', IN_AN_HOUR],
  ['a moment in seconds in expires_at', String(IN_AN_HOUR / 1000), 'expires_at', IN_AN_HOUR],
  ['a moment in seconds in expires_in', IN_AN_HOUR / 1000, 'expires_in', IN_AN_HOUR],
  ['a date', '2026-03-01T01:00:00Z', 'validUntil', IN_AN_HOUR],
  ['a date with a zone', '2026-03-01T03:00:00+02:00', 'expires_at', IN_AN_HOUR],
  ['a date that has passed', '2020-01-01T00:00:00Z', 'expires_at', null],
  ['nothing', undefined, 'expiresInMilliseconds', null],
  ['null', null, 'expiresInMilliseconds', null],
  ['zero', 0, 'expiresInMilliseconds', null],
  ['a negative number', -5, 'expiresInMilliseconds', null],
  ['an empty text', ' ', 'expiresInMilliseconds', null],
  ['a text that is no number', 'never', 'expiresInMilliseconds', null],
  ['a text that older parsers take for the year 3600', '3600s', 'expires_in', null],
  ['an endless number', 'Infinity', 'expiresInMilliseconds', null],
  ['a truth value', true, 'expiresInMilliseconds', null],
  ['a list', [3_600_000], 'expiresInMilliseconds', null],
])('C-72 reads %s', (_, value, path, expected) => {
  expect(readExpiry(value, path, NOW)).toBe(expected);
});
