import { expect, it } from 'vitest';
import { duration, listTime, localTime } from './format.ts';

it.each([
  [0.2, '<1 ms'],
  [1, '1 ms'],
  [12.6, '13 ms'],
  [1500, '1.5 s'],
  [59_000, '59.0 s'],
  [200_000, '3 min 20 s'],
])('%d ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

it('tells times as the clock on the wall shows them', () => {
  const noon = new Date(2026, 2, 1, 12, 5, 9);
  expect(localTime(noon.toISOString())).toBe('2026-03-01 12:05:09');
  expect(localTime('soon')).toBe('soon');
  expect(listTime(noon.toISOString(), new Date(2026, 2, 1, 23))).toBe('12:05:09');
  expect(listTime(noon.toISOString(), new Date(2026, 2, 2, 1))).toBe('2026-03-01 12:05');
});
