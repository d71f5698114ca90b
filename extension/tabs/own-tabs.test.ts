import { describe, expect, it } from 'vitest';
import type { OwnTab } from './choose-tab.ts';
import { createOwnTabs } from './own-tabs.ts';

const REUSE: OwnTab = { hostMatch: 'https://a/*', strategy: 'reuse' };

describe('Forge’s own tabs', () => {
  it('are closed when they are idle, except those that are to be kept', () => {
    let time = 0;
    const own = createOwnTabs({ now: () => time, idleMs: 100, save: () => undefined });
    own.add(1, REUSE);
    own.add(2, { ...REUSE, strategy: 'persistent' });
    time = 60;
    own.used(1);
    time = 120;
    expect(own.idle()).toEqual([]);
    time = 160;
    expect(own.idle()).toEqual([1]);
  });

  it('are saved when the list changes, not when one is used', () => {
    const saves: unknown[] = [];
    const own = createOwnTabs({ now: () => 0, save: (list) => saves.push(list) });
    own.add(1, REUSE);
    own.used(1);
    own.forget(7);
    own.replaced(1, 2);
    expect(saves).toEqual([[[1, REUSE]], [[2, REUSE]]]);
    own.forget(2);
    expect(own.has(2)).toBe(false);
    expect(saves).toHaveLength(3);
  });

  it('come back after the worker has died', () => {
    const own = createOwnTabs({ now: () => 5, idleMs: 10, save: () => undefined });
    own.restore([[3, REUSE]]);
    expect(own.get(3)).toMatchObject(REUSE);
    expect(own.idle()).toEqual([]);
  });
});
