import { expect, it } from 'vitest';
import { nextPollWords, retryLabel, retryWarning, spanWords } from './watch-words.ts';

it.each([
  [-5, '0 s'],
  [42_400, '42 s'],
  [60_000, '1 min'],
  [3_540_000, '59 min'],
  [3_600_000, '1 h'],
  [7_500_000, '2 h 5 min'],
])('%i ms is %s', (ms, words) => expect(spanWords(ms)).toBe(words));

const NOW = Date.parse('2026-03-10T12:00:00Z');

it.each([
  ['polling', '2026-03-10T12:00:30Z', 'next poll in 30 s'],
  ['parked', '2026-03-10T11:59:00Z', 'polls now'],
  ['polling', null, ''],
  ['done', '2026-03-10T12:00:30Z', ''],
] as const)('C-137 one that is %s and due at %s: %j', (state, next_poll_at, words) =>
  expect(nextPollWords({ state, next_poll_at }, NOW)).toBe(words),
);

it.each([
  ['polling', null],
  ['parked', 'Poll now'],
  ['acting', null],
  ['done', null],
  ['failed', 'Begin again'],
  ['cancelled', 'Begin again'],
] as const)('one that is %s offers %j', (state, label) => expect(retryLabel(state)).toBe(label));

it.each([
  ['failed', 'unknown', expect.stringContaining('runs again')],
  ['failed', 'timeout', null],
  ['cancelled', 'cancelled', null],
] as const)('beginning again one that is %s with %s warns: %s', (state, code, warning) =>
  expect(retryWarning({ state, reason: { code, message: '' } })).toEqual(warning),
);
