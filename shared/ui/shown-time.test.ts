import { expect, it } from 'vitest';
import { shownTime } from './shown-time.ts';

// Local times, so that the test reads the same in every time zone.
const at = (day: number, hour: number): Date => new Date(2026, 2, day, hour, 5, 9);

it.each([
  [at(10, 14).toISOString(), '14:05:09'],
  [at(10, 0).toISOString(), '00:05:09'],
  [at(9, 14).toISOString(), 'Mar 9, 2026, 14:05:09'],
  ['never', ''],
])('%s is shown as %j', (iso, words) => expect(shownTime(iso, at(10, 18).getTime())).toBe(words));
