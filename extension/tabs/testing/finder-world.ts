import { manualClock } from '../../testing/manual-clock.ts';
import { TabFinder, type AcquireOptions } from '../acquire.ts';
import type { Wanted } from '../choose-tab.ts';
import { createLanes } from '../lanes.ts';
import { matchPattern } from '../match-pattern.ts';
import { createOwnTabs } from '../own-tabs.ts';
import type { PageEvent } from '../page-load.ts';
import { createTabMirror, type TabInfo } from '../tab-mirror.ts';

export const SITE = 'https://jira.acme.com';
const BLANK: TabInfo = {
  id: 0,
  windowId: 1,
  url: '',
  documentId: null,
  active: false,
  isLoading: false,
  isParsed: true,
  isDiscarded: false,
  isFrozen: false,
  lastAccessed: 0,
};

/** A browser made of a list of tabs: navigations take 100 ms, and `leads` says where an address really ends. */
export function setUp(tabs: (Partial<TabInfo> & { id: number })[] = [], leads: Record<string, string> = {}) {
  const clock = manualClock();
  const mirror = createTabMirror(clock.now);
  const own = createOwnTabs({ now: clock.now, save: () => undefined });
  const listeners = new Map<number, (event: PageEvent) => void>();
  const real = new Map<number, TabInfo>();
  const log: string[] = [];
  const unsaved = new Set<number>();
  /** Tabs whose page answers nothing until it is let go. */
  const hung = new Map<number, Promise<boolean>>();
  let documents = 0;
  let nextId = 100;
  const set = (id: number, changes: Partial<TabInfo>): TabInfo => {
    const tab = { ...(real.get(id) ?? BLANK), ...changes, id };
    real.set(id, tab);
    mirror.put(tab);
    return tab;
  };
  for (const tab of tabs) set(tab.id, { documentId: `doc${tab.id}`, ...tab });
  const load = (id: number, url: string): void => {
    set(id, { isLoading: true });
    mirror.updated(id, { isLoading: true });
    clock.after(100, () => {
      if (!real.has(id) || url.endsWith('/never')) return;
      documents += 1;
      const there = leads[url] ?? url;
      mirror.committed(id, there, `new${documents}`);
      set(id, { url: there, documentId: `new${documents}`, isLoading: false, isDiscarded: false });
      mirror.updated(id, { isLoading: false, isParsed: true });
      listeners.get(id)?.({ kind: 'loaded' });
    });
  };
  const finder = new TabFinder({
    isOwnPage: (url) => url.startsWith('http://127.0.0.1:8403/'),
    clock,
    mirror,
    own,
    lanes: createLanes(),
    events: {
      listen: (id, callback) => {
        listeners.set(id, callback);
        return () => listeners.delete(id);
      },
    },
    door: {
      open: (url) => {
        const id = nextId++;
        log.push(`open ${url}`);
        set(id, { isLoading: true });
        load(id, url);
        return Promise.resolve({ ...BLANK, id, isLoading: true });
      },
      navigate: (id, url) => {
        log.push(`navigate ${id} ${url}`);
        load(id, url);
        return Promise.resolve();
      },
      reload: (id) => {
        log.push(`reload ${id}`);
        load(id, real.get(id)?.url ?? '');
        return Promise.resolve();
      },
      close: (id) => {
        log.push(`close ${id}`);
        real.delete(id);
        return Promise.resolve();
      },
      look: (id) => Promise.resolve(real.get(id) ?? null),
      hasUnsavedInput: (id) => hung.get(id) ?? Promise.resolve(unsaved.has(id)),
    },
  });
  const close = (id: number): void => {
    real.delete(id);
    mirror.removed(id);
    listeners.get(id)?.({ kind: 'closed' });
  };
  return { finder, clock, mirror, own, log, unsaved, hung, close, set };
}

export function wanted(changes: Partial<Wanted> = {}): Wanted {
  return {
    hostMatch: `${SITE}/*`,
    pattern: matchPattern(`${SITE}/*`),
    url: `${SITE}/issues/`,
    onTarget: null,
    loginRedirect: null,
    strategy: 'reuse',
    ...changes,
  };
}

export function options(changes: Partial<AcquireOptions> = {}): AcquireOptions {
  return { settleMs: 0, isQuick: false, signal: new AbortController().signal, ...changes };
}
