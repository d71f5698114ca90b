import { systemClock as clock } from '../clock.ts';
import { listenToPages } from '../platform/page-events.ts';
import type { PageScripts } from '../platform/scripts.ts';
import { sessionStorage } from '../platform/storage.ts';
import { ForgeError } from '../../shared/errors.ts';
import { createTabDoor, focusTab, followTabs } from '../platform/tabs.ts';
import { TabFinder } from '../tabs/acquire.ts';
import { hasSite, type OwnTab } from '../tabs/choose-tab.ts';
import { createLanes } from '../tabs/lanes.ts';
import { matchPattern } from '../tabs/match-pattern.ts';
import { createOwnTabs } from '../tabs/own-tabs.ts';
import type { PageGuard } from '../tabs/page-guard.ts';
import type { PageEvents } from '../tabs/page-load.ts';
import { createTabMirror } from '../tabs/tab-mirror.ts';

export interface Tabs {
  finder: TabFinder;
  events: PageEvents;
  /** The open tabs are known. */
  ready: Promise<void>;
  /** Where a tab is, as far as events have told; null when it is gone. */
  urlOf: (tabId: number) => string | null;
  /** Brings a tab to the front, if it is one that a call has used. */
  focus: (tabId: number) => Promise<void>;
  /** Whether a site is open in some tab, past its login page. */
  hasSite: (hostMatch: string, loginRedirect: string | null) => boolean;
  /** Reads them again; a new permission shows addresses that were hidden. */
  refresh: () => Promise<void>;
}

const OWN_TABS = 'own_tabs';

/** Everything about tabs, wired to the browser. */
export function createTabs(scripts: Pick<PageScripts, 'callInPage'>, { isOwnPage }: PageGuard): Tabs {
  const mirror = createTabMirror();
  const lanes = createLanes();
  const own = createOwnTabs({ save: (list) => void sessionStorage.set({ [OWN_TABS]: list }) });
  const { ready, refresh } = followTabs(mirror, own);
  const events = listenToPages(mirror, (tabId) => finder.pageGone(tabId));
  const finder = new TabFinder({
    ...{ door: createTabDoor(scripts), mirror, own, lanes, events, clock, isOwnPage },
  });
  const restore = async (): Promise<void> => {
    const list = (await sessionStorage.get())[OWN_TABS];
    // Written by this module only, and gone with the browser.
    if (Array.isArray(list)) own.restore(list as [number, OwnTab][]);
  };
  return {
    finder,
    events,
    urlOf: (tabId) => mirror.get(tabId)?.url ?? null,
    ready: Promise.all([ready, restore()]).then(() => undefined),
    async focus(tabId) {
      if (!finder.wasUsed(tabId) || !(await focusTab(tabId)))
        throw new ForgeError('tab_closed', 'That tab is gone, or no tool has used it.');
    },
    hasSite: (hostMatch, loginRedirect) =>
      hasSite(mirror.all(), { pattern: matchPattern(hostMatch), loginRedirect }, isOwnPage),
    refresh,
  };
}
