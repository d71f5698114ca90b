import { expect, it } from 'vitest';
import { compareVersions, parseVersion } from './semver.ts';

it.each([
  ['1.0.0', '1.0.1', -1],
  ['1.10.0', '1.9.0', 1],
  ['0.10.51', '1.0.0', -1],
  ['1.0.0', '1.0.0', 0],
  ['1.0.0-beta.2', '1.0.0-beta.10', -1],
  ['1.0.0-beta', '1.0.0', -1],
  ['1.0.0-1', '1.0.0-alpha', -1],
  ['1.2', '1.2.0', 0],
  ['v2', '1.9.9', 1],
  ['soon', '0.0.1', -1],
])('K-03 compares %s with %s', (a, b, wanted) => {
  expect(Math.sign(compareVersions(a, b))).toBe(wanted);
  expect(Math.sign(compareVersions(b, a))).toBe(wanted === 0 ? 0 : -wanted);
});

it.each(['', 'x', '1.2.3.4', '1..2', '-1', '1.0.0 || 2', 'latest'])('K-03 reads %j as no version', (text) => {
  expect(parseVersion(text)).toBeNull();
});
