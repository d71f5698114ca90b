import { expect, it } from 'vitest';
import { titlesIn } from './test-titles.ts';

it('reads the titles of tests that would run', () => {
  const source = `
describe('C-1 a group', () => {
  it('C-2 one', async () => {});
  it.each([
    ['a', 1],
  ])('C-3 a %s row', async (a, b) => {});
  it.skipIf(process.platform !== 'linux')('C-4 there', { timeout: 60_000 }, async ({ task }) => {});
  it.skip('C-5 never', () => {});
  it.todo('C-6 later');
  // it('C-7 gone', () => {});
  /* it('C-8 gone', () => {}); */
  expect(call('C-9 no title', { a: 1 })).toBe('C-10');
});`;
  expect(titlesIn(source)).toEqual(['C-1 a group', 'C-2 one', 'C-3 a %s row', 'C-4 there']);
});
