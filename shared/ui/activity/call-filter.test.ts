import { expect, it } from 'vitest';
import { apiQuery, filterQuery, isFiltered, readFilter } from './call-filter.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');

it.each([
  ['', {}, ''],
  ['search=a+b&outcome=error', { search: 'a b', outcome: 'error' }, 'search=a+b&outcome=error'],
  ['outcome=maybe&span=toString&other=1', {}, ''],
  ['tool=demo.rename&caller=cursor', { tool: 'demo.rename', caller: 'cursor' }, 'tool=demo.rename&caller=cursor'],
  [
    'connector=demo&span=hour',
    { connector: 'demo', span: 'hour' },
    'connector=demo&since=2026-03-10T11%3A00%3A00.000Z',
  ],
])('the address %j filters by %j', (address, wanted, asked) => {
  const filter = readFilter(new URLSearchParams(address));
  expect(filterQuery(filter)).toEqual(wanted);
  expect(apiQuery(filter, NOW).toString()).toBe(asked);
  expect(isFiltered(filter)).toBe(asked !== '');
});
