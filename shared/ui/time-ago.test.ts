import { expect, it } from 'vitest';
import { timeAgo } from './time-ago.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');

it.each([
  ['2026-03-10T11:59:30Z', 'just now'],
  ['2026-03-10T12:00:30Z', 'just now'],
  ['2026-03-10T11:58:00Z', '2 minutes ago'],
  ['2026-03-10T09:00:00Z', '3 hours ago'],
  ['2026-03-09T11:00:00Z', 'yesterday'],
  ['2026-03-07T11:00:00Z', '3 days ago'],
  ['2024-03-07T11:00:00Z', '2 years ago'],
  ['never', ''],
])('%s was %s', (then, words) => expect(timeAgo(then, NOW)).toBe(words));
