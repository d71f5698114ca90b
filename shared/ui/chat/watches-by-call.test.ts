import { expect, it } from 'vitest';
import { watchesByCall } from './watches-by-call.ts';

type State = 'polling' | 'parked' | 'acting' | 'done' | 'failed';

/** `id state` and, for a link of a chain, the one before it. */
function chain(...links: [id: string, state: State, parent?: string][]) {
  const depths = new Map<string, number>();
  const begun = links.map(([id, state, parent]) => {
    const depth = parent === undefined ? 0 : (depths.get(parent) ?? 0) + 1;
    depths.set(id, depth);
    return { id, state, parent_id: parent ?? null, depth, call_id: `call_${id}` };
  });
  return Array.from(watchesByCall(begun.toReversed()), ([call, { id }]) => `${call}: ${id}`);
}

it.each<[string, Parameters<typeof chain>, string[]]>([
  ['a watch on its own', [['a', 'polling']], ['call_a: a']],
  ['each call its own', [['a', 'polling'], ['b', 'done']], ['call_b: b', 'call_a: a']], // prettier-ignore
  ['the tool at its end', [['a', 'acting']], ['call_a: a']],
  ['the link that is polled', [['a', 'done'], ['b', 'polling', 'a']], ['call_a: b']], // prettier-ignore
  ['the deepest of them', [['a', 'done'], ['b', 'done', 'a'], ['c', 'parked', 'b']], ['call_a: c']], // prettier-ignore
  ['the child while the parent still acts', [['a', 'acting'], ['b', 'polling', 'a']], ['call_a: b']], // prettier-ignore
  ['the last link of a chain that has ended', [['a', 'done'], ['b', 'failed', 'a']], ['call_a: b']], // prettier-ignore
  ['the first once it was begun again', [['a', 'polling'], ['b', 'failed', 'a']], ['call_a: a']], // prettier-ignore
  ['the later of two children', [['a', 'done'], ['b', 'failed', 'a'], ['c', 'failed', 'a']], ['call_a: c']], // prettier-ignore
  ['nothing for a chain whose beginning is not known', [['b', 'polling', 'a']], []],
])('C-133 beside a call stands %s', (_title, links, wanted) => {
  expect(chain(...links)).toEqual(wanted);
});
