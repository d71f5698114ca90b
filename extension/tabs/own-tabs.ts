import type { OwnTab } from './choose-tab.ts';

/** How long a tab Forge opened stays without a call. */
const IDLE_MS = 2 * 60_000;

interface Entry extends OwnTab {
  readonly lastUsed: number;
}

interface OwnTabsDeps {
  now?: () => number;
  idleMs?: number;
  /** Called when the list changes, which is never during a call in a tab that is open already. */
  save: (list: readonly [id: number, tab: OwnTab][]) => void;
}

export type OwnTabs = ReturnType<typeof createOwnTabs>;

/** The tabs Forge opened itself. A tab that the person turns to is theirs from then on. */
export function createOwnTabs({ now = Date.now, idleMs = IDLE_MS, save }: OwnTabsDeps) {
  const tabs = new Map<number, Entry>();
  const changed = (): void => {
    save(Array.from(tabs, ([id, { hostMatch, strategy }]) => [id, { hostMatch, strategy }]));
  };

  return {
    get: (id: number): OwnTab | undefined => tabs.get(id),
    has: (id: number): boolean => tabs.has(id),
    add(id: number, tab: OwnTab): void {
      tabs.set(id, { ...tab, lastUsed: now() });
      changed();
    },
    /** From the last life of the worker. */
    restore(list: readonly [id: number, tab: OwnTab][]): void {
      for (const [id, tab] of list) if (!tabs.has(id)) tabs.set(id, { ...tab, lastUsed: now() });
    },
    used(id: number): void {
      const entry = tabs.get(id);
      if (entry !== undefined) tabs.set(id, { ...entry, lastUsed: now() });
    },
    forget(id: number): void {
      if (tabs.delete(id)) changed();
    },
    replaced(oldId: number, newId: number): void {
      const entry = tabs.get(oldId);
      if (entry === undefined) return;
      tabs.delete(oldId);
      tabs.set(newId, entry);
      changed();
    },
    /** Those that can be closed; a persistent one is kept for the next call however long that takes. */
    idle(): number[] {
      return Array.from(tabs)
        .filter(([, { strategy, lastUsed }]) => strategy !== 'persistent' && lastUsed + idleMs <= now())
        .map(([id]) => id);
    },
  };
}
