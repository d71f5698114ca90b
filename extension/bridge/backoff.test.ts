import { describe, expect, it } from 'vitest';
import { createBackoff } from './backoff.ts';

const tenTries = (random: () => number) => {
  const backoff = createBackoff(random);
  return Array.from({ length: 10 }, () => backoff.next());
};

describe('backoff', () => {
  it('doubles from 250 ms to 15 s', () => {
    expect(tenTries(() => 0.5)).toEqual([250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000, 15_000]);
  });

  it('spreads by a quarter either way', () => {
    expect(tenTries(() => 0).slice(0, 2)).toEqual([188, 375]);
    expect(tenTries(() => 1).slice(-1)).toEqual([18_750]);
  });

  it('starts over after a connection', () => {
    const backoff = createBackoff(() => 0.5);
    backoff.next();
    backoff.next();
    backoff.reset();
    expect(backoff.next()).toBe(250);
  });
});
