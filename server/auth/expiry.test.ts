import { expect, it } from 'vitest';
import { readExpiry } from './expiry.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');
const IN_AN_HOUR = Date.parse('2026-03-01T01:00:00Z');

it.each([
  ['milliseconds', 3_600_000, 'expiresInMilliseconds', IN_AN_HOUR],
  ['milliseconds as text', '3600000', 'expiresInMilliseconds', IN_AN_HOUR],
  ['milliseconds in a name that ends in Ms', 3_600_000, 'ttlMs', IN_AN_HOUR],
  ['milliseconds in a name that ends in _ms', 3_600_000, 'data.ttl_ms', IN_AN_HOUR],
  ['no number under a name that says nothing', 3_600_000, 'data.lifetime', null],
  ['21 days in milliseconds, which is no moment of the year 2027', 1_814_400_000, 'ttl_ms', NOW + 1_814_400_000],
  ['a moment in milliseconds under a name that says nothing', IN_AN_HOUR, 'lifetime', IN_AN_HOUR],
  ['a moment in milliseconds under a name of seconds', IN_AN_HOUR, 'expires_at', IN_AN_HOUR],
  ['a length of time under a name of a moment', 3600, 'expires_at', null],
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

it.each([
  ['seconds', 3600, 's', IN_AN_HOUR],
  ['seconds as text', '3600', 's', IN_AN_HOUR],
  ['the longest time in seconds', 999_999_999, 's', NOW + 999_999_999_000],
  ['a moment in seconds', IN_AN_HOUR / 1000, 's', IN_AN_HOUR],
  ['the first moment in seconds, which has passed', 1_000_000_000, 's', null],
  ['milliseconds', 3_600_000, 'ms', IN_AN_HOUR],
  ['the longest time in milliseconds', 999_999_999_999, 'ms', NOW + 999_999_999_999],
  ['a moment in milliseconds', IN_AN_HOUR, 'ms', IN_AN_HOUR],
  ['the first moment in milliseconds, which has passed', 1_000_000_000_000, 'ms', null],
  ['a date', '2026-03-01T01:00:00Z', 'iso', IN_AN_HOUR],
  ['a number where a date should be', 3600, 'iso', null],
  ['a date where seconds should be', '2026-03-01T01:00:00Z', 's', null],
  ['a date where milliseconds should be', '2026-03-01T01:00:00Z', 'ms', null],
] as const)('C-72 expires_unit decides, whatever the name says: %s', (_, value, unit, expected) => {
  for (const path of ['lifetime', 'expires_in', 'ttlMs', 'expires_at'])
    expect(readExpiry(value, path, NOW, unit)).toBe(expected);
});
