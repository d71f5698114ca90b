import { expect, it } from 'vitest';
import { briefValue } from './brief-value.ts';

it.each([
  ['short', '"short"'],
  [7, '7'],
  [undefined, 'nothing'],
  ['x'.repeat(78), `"${'x'.repeat(78)}"`],
  ['x'.repeat(79), 'a text of 81 characters'],
  [['x'.repeat(100)], 'a list of 104 characters'],
  [{ a: 'x'.repeat(100) }, 'a value of 108 characters'],
])('shows a value or how long it is, and never a part of it: %j', (value, shown) => {
  expect(briefValue(value)).toBe(shown);
});
