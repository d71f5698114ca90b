import { expect, it } from 'vitest';
import { checkWeight } from './build-page.mjs';

it('a page that has grown too heavy does not get built', () => {
  expect(() => checkWeight(120_000, 120_000)).not.toThrow();
  expect(() => checkWeight(120_001, 120_000)).toThrow(
    'the first load of Settings is 120.0 kB gzip; it may be 120.0 kB.',
  );
});
