import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stop } from '../../shared/stop-signal.ts';
import { bundled } from '../testing/bundled.ts';
import { createPatterns } from './patterns.ts';

let script: URL;
beforeAll(async () => {
  script = await bundled('server/tools/pattern-thread.ts');
});
afterAll(() => rmSync(script, { force: true }));

const ENDLESS = '^(a+)+$';
const LURE = `${'a'.repeat(60)}!`;

describe('S13 patterns of logins', () => {
  it('answers the first group, the whole match, or nothing', async () => {
    const match = createPatterns(script);
    const look = (pattern: string) => match(pattern, 'key="abc"', new Stop());
    expect(await Promise.all(['key="(.+)"', 'k.y', '^abc'].map(look))).toEqual(['abc', 'key', null]);
  });

  it('leaves the event loop free while one takes too long, and does not try it again for a while', async () => {
    let now = 0;
    const match = createPatterns(script, () => now);
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 1);
    const failed = match(ENDLESS, LURE, new Stop());
    await expect(failed).rejects.toMatchObject({ code: 'invalid_manifest' });
    clearInterval(turning);
    expect(turns).toBeGreaterThan(0);
    now = 59_000;
    // Harmless, had it been looked for.
    await expect(match(ENDLESS, 'aa', new Stop())).rejects.toMatchObject({ code: 'invalid_manifest' });
    now = 61_000;
    expect(await match(ENDLESS, 'aa', new Stop())).toBe('aa');
  });
});
