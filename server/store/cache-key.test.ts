import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCacheKey } from './cache-key.ts';
import { tempDir } from './testing/temp-dir.ts';

describe('the key of the caches', () => {
  it('is made once, for its owner alone, and stays', () => {
    const file = path.join(tempDir(), 'cache-key');
    const key = openCacheKey(file);
    expect([key.length, statSync(file).mode & 0o777]).toEqual([32, 0o600]);
    expect(Buffer.from(openCacheKey(file))).toEqual(Buffer.from(key));
  });

  it.each([
    ['others can read it', (file: string) => chmodSync(file, 0o644)],
    ['half of it is left', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 7))],
    ['it is empty', (file: string) => writeFileSync(file, '')],
  ])('is replaced when %s', (_what, spoil) => {
    const file = path.join(tempDir(), 'cache-key');
    const key = Buffer.from(openCacheKey(file));
    spoil(file);
    const next = Buffer.from(openCacheKey(file));
    expect(next.equals(key)).toBe(false);
    expect([next.length, statSync(file).mode & 0o777]).toEqual([32, 0o600]);
  });

  it('is good for one process where it cannot be written', () => {
    expect(openCacheKey(path.join(tempDir(), 'missing', 'cache-key')).length).toBe(32);
  });
});
