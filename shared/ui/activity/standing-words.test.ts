import { expect, it } from 'vitest';
import { shownTime } from '../shown-time.ts';
import { standingWords } from './standing-words.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const LATER = '2026-03-10T12:30:00Z';

it.each([
  [{ remaining: 1, until: null, conditions: {} }, '1 more call, no end, any arguments'],
  [
    { remaining: 9, until: LATER, conditions: { name: 'Cleo', n: 2 } },
    `9 more calls, until ${shownTime(LATER, NOW)}, only name: Cleo, n: 2`,
  ],
  [{ remaining: null, until: null, conditions: { a: true } }, 'any number of calls, no end, only a: true'],
])('%j', (standing, words) => expect(standingWords(standing, NOW)).toBe(words));
