import { expect, it } from 'vitest';
import { chooseBrowser } from './choose-browser.ts';

const candidate = (name: string, activeAt: number, more: { paused?: boolean; jira?: number } = {}) => ({
  name,
  activeAt,
  paused: more.paused ?? false,
  succeededAt: new Map(more.jira === undefined ? [] : [['jira', more.jira]]),
});

it.each([
  ['K-55 the one that was active last', [candidate('a', 1), candidate('b', 3), candidate('c', 2)], 'b'],
  ['K-55 before that, the one where the connector worked', [candidate('a', 1, { jira: 1 }), candidate('b', 3)], 'a'],
  ['the one where it worked last', [candidate('a', 1, { jira: 9 }), candidate('b', 3, { jira: 2 })], 'a'],
  ['another than a paused one', [candidate('a', 9, { paused: true, jira: 9 }), candidate('b', 1)], 'b'],
  ['a paused one when there is no other, so that it can be said', [candidate('a', 1, { paused: true })], 'a'],
  ['nobody when nobody is there', [], undefined],
])('%s', (_title, candidates, wanted) => {
  expect(chooseBrowser(candidates, 'jira')?.name).toBe(wanted);
  expect(chooseBrowser(candidates.toReversed(), 'jira')?.name).toBe(wanted);
});
