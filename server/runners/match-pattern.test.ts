import { afterEach, expect, it, vi } from 'vitest';
import { matchPattern } from './match-pattern.ts';

const WILD = { source: '^(a+)+$', flags: '' };
const TEXT = `${'a'.repeat(60)}!`;

afterEach(() => vi.restoreAllMocks());

it.each([
  ['the first group', 'version ([0-9]+)', 'a version 12 b', { end: 12, value: '12' }],
  ['a group that took nothing', 'a(b)?', 'xa', { end: 2, value: null }],
  ['the whole match where there is no group', 'b+', 'abbc', { end: 3, value: 'bb' }],
  ['nothing', 'd', 'abc', null],
])('finds %s', (_title, source, text, found) => {
  expect(matchPattern({ source, flags: '' }, text)).toEqual(found);
});

it('a pattern that never ends is a fault of the manifest, and the next one is found all the same', () => {
  expect(() => matchPattern(WILD, TEXT)).toThrow(expect.objectContaining({ code: 'invalid_manifest' }));
  expect(matchPattern({ source: '!', flags: '' }, TEXT)).toEqual({ end: 61, value: '!' });
});

it('a pattern that was cut off while Forge stood still is tried again', () => {
  const used = (ms: number): NodeJS.CpuUsage => ({ user: ms * 1000, system: 0 });
  const cpuUsage = vi
    .spyOn(process, 'cpuUsage')
    .mockReturnValueOnce(used(5000))
    .mockReturnValueOnce(used(20))
    .mockReturnValueOnce(used(150));
  expect(() => matchPattern(WILD, TEXT)).toThrow(expect.objectContaining({ code: 'invalid_manifest' }));
  // Before the first try, and after each of two.
  expect(cpuUsage).toHaveBeenCalledTimes(3);
});
