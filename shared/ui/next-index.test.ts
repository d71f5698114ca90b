import { expect, it } from 'vitest';
import { nextIndex } from './next-index.ts';

it.each([
  ['ArrowDown', -1, 5, 1, 0],
  ['ArrowDown', 0, 5, 1, 1],
  ['ArrowDown', 4, 5, 1, 4],
  ['ArrowUp', 0, 5, 1, 0],
  ['ArrowUp', 3, 5, 1, 2],
  ['ArrowRight', 1, 5, 1, null],
  ['Home', 3, 5, 1, 0],
  ['End', 0, 5, 1, 4],
  ['ArrowDown', 0, 0, 1, null],
  ['a', 0, 5, 1, null],
  // Three columns: 0 1 2 / 3 4
  ['ArrowDown', 1, 5, 3, 4],
  ['ArrowDown', 2, 5, 3, 4],
  ['ArrowDown', 3, 5, 3, 3],
  ['ArrowUp', 4, 5, 3, 1],
  ['ArrowUp', 2, 5, 3, 2],
  ['ArrowRight', 2, 5, 3, 3],
  ['ArrowRight', 4, 5, 3, 4],
  ['ArrowLeft', 3, 5, 3, 2],
])('W-20 %s at %i of %i in %i columns leads to %s', (key, here, count, columns, expected) => {
  expect(nextIndex(key, here, count, columns)).toBe(expected);
});
