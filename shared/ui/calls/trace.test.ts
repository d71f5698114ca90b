import { expect, it } from 'vitest';
import { argvIn, headersIn, linesOf, requestIn, stagesOf } from './trace.ts';

it('shares the time of a call among its stages', () => {
  expect(stagesOf({ resolve: 1, run: 3, odd: 'x' })).toEqual([
    { name: 'resolve', label: 'Find the tool', ms: 1, start: 0, share: 0.25 },
    { name: 'run', label: 'Run', ms: 3, start: 0.25, share: 0.75 },
  ]);
  expect(stagesOf({ later: 0 })).toEqual([{ name: 'later', label: 'later', ms: 0, start: 0, share: 0 }]);
  expect(stagesOf(null)).toEqual([]);
});

it.each(['resolve', 'arguments', 'policy', 'governance', 'files', 'expand', 'approval', 'intent', 'run', 'result'])(
  'has words for the stage %s',
  (name) => {
    expect(stagesOf({ [name]: 1 })[0]?.label).toMatch(/^[A-Z]/);
  },
);

it('reads headers, each under its name', () => {
  expect(headersIn({ headers: { 'content-type': 'text/plain', 'set-cookie': ['a', 'b'], age: 3 } })).toEqual([
    ['content-type', 'text/plain'],
    ['set-cookie', 'a'],
    ['set-cookie', 'b'],
    ['age', '3'],
  ]);
  expect([headersIn(null), headersIn({ headers: 'odd' })]).toEqual([[], []]);
});

it('reads requests and commands, and nothing else as such', () => {
  expect(requestIn({ method: 'GET', url: 'https://a.test', headers: { a: 1 }, body: null })).toEqual({
    method: 'GET',
    url: 'https://a.test',
    headers: { a: '1' },
    body: null,
  });
  expect(requestIn({ argv: ['ls'] })).toBeNull();
  expect(argvIn({ argv: ['ls', '-l'] })).toEqual(['ls', '-l']);
  expect(argvIn(null)).toBeNull();
  expect(linesOf({ status: 200, head: '', headers: {}, url: 'x', gone: null }, ['url'])).toEqual([['status', '200']]);
});
