import { expect, it } from 'vitest';
import { fitColumns } from './fit-columns.ts';

const wide = (size: number) => 'x'.repeat(size);

it.each<[string, string[], number, number[]]>([
  ['gives all what they need where there is room', [wide(5), wide(20)], 80, [5, 20]],
  ['takes from the widest first', [wide(5), wide(40), wide(30)], 60, [5, 25, 26]],
  ['never gives more than sixty', [wide(500)], 200, [60]],
  ['leaves out at the right what would become too narrow', [wide(30), wide(30), wide(30)], 30, [14, 14]],
  ['keeps short columns whole', [wide(3), wide(30), wide(2)], 20, [3, 11, 2]],
  ['always keeps the first', [wide(30), wide(30)], 6, [10]],
  ['has nothing to share', [], 80, []],
])('%s', (_title, row, width, widths) => {
  expect(fitColumns([row, row.map(() => 'y')], width)).toEqual({ count: widths.length, widths });
});
