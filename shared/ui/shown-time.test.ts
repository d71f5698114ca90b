import { expect, it } from 'vitest';
import { shownClock, shownDay, shownMinute, shownTime } from './shown-time.ts';

// Local times, so that the test reads the same in every time zone.
const at = (day: number, hour: number): Date => new Date(2026, 2, day, hour, 5, 9);

it.each([
  [at(10, 14).toISOString(), '14:05:09'],
  [at(10, 0).toISOString(), '00:05:09'],
  [at(9, 14).toISOString(), 'Mar 9, 2026, 14:05:09'],
  ['never', ''],
])('%s is shown as %j', (iso, words) => expect(shownTime(iso, at(10, 18).getTime())).toBe(words));

it.each([
  [at(10, 14), '14:05', 'Today'],
  [at(9, 14), 'Mar 9, 14:05', 'Yesterday'],
  [at(3, 14), 'Mar 3, 14:05', 'Tuesday, Mar 3'],
  [new Date(2025, 11, 31, 14, 5, 9), 'Dec 31, 14:05', 'Dec 31, 2025'],
])('%s is %j to the minute, on %j', (time, minute, day) => {
  const [iso, now] = [time.toISOString(), at(10, 18).getTime()];
  expect([shownMinute(iso, now), shownDay(iso, now), shownClock(iso)]).toEqual([minute, day, '14:05:09']);
});
