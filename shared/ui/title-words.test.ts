import { expect, it } from 'vitest';
import { iconUrl, titleWords } from './title-words.ts';

it('a tab says that something waits, by its title and its icon', () => {
  expect([titleWords('Activity', 0), titleWords('Activity', 2), titleWords('', 1)]).toEqual([
    'Activity – Forge',
    '(2) Activity – Forge',
    '(1) Forge',
  ]);
  const hasDot = (waiting: number) => decodeURIComponent(iconUrl(waiting)).includes('<circle');
  expect([hasDot(0), hasDot(1)]).toEqual([false, true]);
});
