import { expect, it } from 'vitest';
import { createEventReader } from './read-events.ts';

it.each([1, 3, 7, 1000])('events arrive whole, cut every %i characters', (size) => {
  const text =
    'id: 7\nevent: output\ndata: {"n":1}\n\n: a comment\n\ndata: [1,\ndata: 2]\n\nevent: answer\ndata: "é"\n\nevent: half';
  const seen: unknown[] = [];
  const take = createEventReader((...told) => seen.push(told));
  for (let at = 0; at < text.length; at += size) take(text.slice(at, at + size));
  expect(seen).toEqual([
    ['output', { n: 1 }, '7'],
    ['message', [1, 2], ''],
    ['answer', 'é', ''],
  ]);
});
