import { expect, it } from 'vitest';
import { fixableArgs, standingLimits } from './standing-limits.ts';

const ARGS = { name: 'Cleo', count: 2, token: 'Bearer [secret]', list: [1], none: null };

it('K-10 holds later calls to plain arguments only, and always ends', () => {
  expect(fixableArgs(ARGS)).toEqual(['name', 'count']);
  expect(fixableArgs('text')).toEqual([]);
  const now = Date.parse('2026-03-10T12:00:00Z');
  expect(standingLimits({ maxUses: 10, minutes: 60, same: [] }, ARGS, now)).toEqual({
    max_uses: 10,
    until: '2026-03-10T13:00:00.000Z',
  });
  expect(standingLimits({ maxUses: 5, minutes: 15, same: ['name', 'token', 'gone'] }, ARGS, now)).toEqual({
    max_uses: 5,
    until: '2026-03-10T12:15:00.000Z',
    conditions: { name: 'Cleo' },
  });
});
