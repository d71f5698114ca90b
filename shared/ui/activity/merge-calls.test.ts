import { expect, it } from 'vitest';
import { mergeNewest } from './merge-calls.ts';

const rows = (...seqs: number[]) => seqs.map((seq) => ({ seq, id: `call_${seq}` }));
const ended = { seq: 8, id: 'call_4' };

it.each([
  ['new ones come on top, older pages stay', rows(5, 4, 3, 2), rows(7, 6, 5), false, rows(7, 6, 5, 4, 3, 2)],
  ['one that ran and has ended moves up', rows(5, 4, 3), [ended, ...rows(5)], false, [ended, ...rows(5, 3)]],
  [
    'what has become of a known one',
    rows(5, 4, 3),
    [...rows(5), { ...rows(4)[0]!, approval: 'denied' }],
    false,
    [...rows(5), { ...rows(4)[0]!, approval: 'denied' }, ...rows(3)],
  ],
  ['a gap between the two starts again', rows(3, 2), rows(9, 8), false, rows(9, 8)],
  ['nothing known', [], rows(2, 1), false, rows(2, 1)],
  ['nothing left', rows(2), [], true, []],
  ['all there is replaces what was', rows(3, 2, 1), rows(3, 1), true, rows(3, 1)],
])('%s', (_name, known, page, isWhole, expected) => {
  expect(mergeNewest(known, page, isWhole)).toEqual(expected);
});
