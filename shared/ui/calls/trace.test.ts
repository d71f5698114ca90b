import { expect, it } from 'vitest';
import { argvIn, linesOf, requestIn, stagesOf } from './trace.ts';

it('shares the time of a call among its stages', () => {
  expect(stagesOf({ resolve: 1, run: 3, odd: 'x' })).toEqual([
    { name: 'resolve', ms: 1, share: 0.25 },
    { name: 'run', ms: 3, share: 0.75 },
  ]);
  expect(stagesOf({ resolve: 0 })).toEqual([{ name: 'resolve', ms: 0, share: 0 }]);
  expect(stagesOf(null)).toEqual([]);
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
