import { describe, expect, it } from 'vitest';
import { createBackoff } from './backoff.ts';

const waits = (count: number, random: () => number) => {
  const backoff = createBackoff(random);
  return Array.from({ length: count }, () => backoff.next());
};

describe('backoff', () => {
  it('stays at 250 ms for three seconds, then doubles up to 15 s', () => {
    const all = waits(22, () => 0.5);
    expect(all.slice(0, 13)).toEqual(Array.from({ length: 13 }, () => 250));
    expect(all.slice(13)).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000, 15_000]);
  });

  it('spreads by a quarter either way', () => {
    expect(waits(1, () => 0)).toEqual([188]);
    expect(waits(30, () => 1).at(-1)).toBe(18_750);
  });

  it('starts over after a connection', () => {
    const backoff = createBackoff(() => 0.5);
    for (let tries = 0; tries < 20; tries += 1) backoff.next();
    backoff.reset();
    expect(backoff.next()).toBe(250);
  });
});
