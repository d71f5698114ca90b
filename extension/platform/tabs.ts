import type { TabDoor } from '../tabs/acquire.ts';
import type { OwnTabs } from '../tabs/own-tabs.ts';
import type { FrameInfo } from '../tabs/page-guard.ts';
import type { TabInfo, TabMirror } from '../tabs/tab-mirror.ts';
import { unsavedInput } from '../tabs/unsaved-input.ts';
import { documentIdOf } from './page-events.ts';
import { groupTab, thawTab } from './tab-groups.ts';
import type { PageScripts } from './scripts.ts';

function toInfo(tab: chrome.tabs.Tab, documentId: string | null = null): TabInfo {
  return {
    id: tab.id ?? -1,
    windowId: tab.windowId,
    url: tab.url ?? '',
    documentId,
    active: tab.active,
    isLoading: tab.status === 'loading',
    isParsed: true,
    isDiscarded: tab.discarded,
    // Firefox freezes no tabs.
    isFrozen: (tab as Partial<typeof tab>).frozen === true,
    lastAccessed: tab.lastAccessed,
  };
}

/** Fills the mirror and keeps it true. Listeners stand before anything is awaited, as a worker that was woken for an event needs. */
export function followTabs(mirror: TabMirror, own: OwnTabs): { ready: Promise<void>; refresh: () => Promise<void> } {
  const { tabs } = chrome;
  tabs.onCreated.addListener((tab) => mirror.put(toInfo(tab)));
  tabs.onUpdated.addListener((id, change) => {
    const { status, discarded, frozen } = change;
    mirror.updated(id, {
      ...(status === undefined ? {} : { isLoading: status === 'loading' }),
      ...(discarded === undefined ? {} : { isDiscarded: discarded }),
      ...(frozen === undefined ? {} : { isFrozen: frozen }),
    });
    if (frozen === true && own.has(id)) thawTab(id);
  });
  tabs.onActivated.addListener(({ tabId, windowId }) => {
    mirror.activated(tabId, windowId);
    own.forget(tabId);
  });
  tabs.onRemoved.addListener((id) => {
    mirror.removed(id);
    own.forget(id);
  });
  tabs.onReplaced.addListener((newId, oldId) => {
    mirror.replaced(oldId, newId);
    own.replaced(oldId, newId);
  });
  const refresh = async (): Promise<void> => {
    for (const tab of await tabs.query({})) mirror.put(toInfo(tab));
  };
  return { ready: refresh(), refresh };
}

/** The tab as it is now. Null when there is no such tab any more. */
async function look(tabId: number): Promise<TabInfo | null> {
  const [tab, frame] = await Promise.all([
    chrome.tabs.get(tabId).catch(() => null),
    chrome.webNavigation.getFrame({ tabId, frameId: 0 }).catch(() => null),
  ]);
  if (tab === null) return null;
  const info = toInfo(tab, frame === null ? null : documentIdOf(frame));
  // Without a permission for the site only the navigation API tells where a tab is.
  return { ...info, url: frame?.url ?? info.url };
}

/** A tab in the person's last window, behind the one they look at. */
async function open(url: string): Promise<TabInfo> {
  const windows = await chrome.windows.getAll({ windowTypes: ['normal'] });
  const window = windows.find(({ focused }) => focused) ?? windows.at(-1);
  if (window?.id === undefined) {
    const made = await chrome.windows.create({ url, focused: false });
    const tab = made?.tabs?.[0];
    if (tab === undefined) throw new Error('the browser opened a window without a tab');
    return toInfo(tab);
  }
  const tab = await chrome.tabs.create({ url, active: false, windowId: window.id });
  const info = toInfo(tab);
  groupTab(info.id, info.windowId);
  return info;
}

/** What acquiring a tab asks of the browser, answered by the browser. */
export function createTabDoor({ callInPage }: Pick<PageScripts, 'callInPage'>): TabDoor {
  return {
    open,
    look,
    navigate: async (tabId, url) => {
      await chrome.tabs.update(tabId, { url });
    },
    reload: (tabId) => chrome.tabs.reload(tabId),
    // Somebody else may have closed it first, and that is all right.
    close: (tabId) => chrome.tabs.remove(tabId).catch(() => undefined),
    async hasUnsavedInput(tabId) {
      // A page that cannot be looked into, such as an error page, has nothing to lose.
      const frames = await callInPage({ tabId, allFrames: true }, unsavedInput, []).catch((): boolean[] => []);
      return frames.includes(true);
    },
  };
}

/** Brings a tab to the front; false when it is gone. Only ever done for a person who asks for it. */
export async function focusTab(tabId: number): Promise<boolean> {
  try {
    const tab = await chrome.tabs.update(tabId, { active: true });
    if (tab !== undefined) await chrome.windows.update(tab.windowId, { focused: true });
    return tab !== undefined;
  } catch {
    return false;
  }
}

/** The frames of a tab, for tools that run in one of them. */
export async function listFrames(tabId: number): Promise<FrameInfo[]> {
  const frames = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
  return frames.map((frame) => ({
    frameId: frame.frameId,
    parentFrameId: frame.parentFrameId,
    url: frame.url,
    documentId: documentIdOf(frame),
  }));
}
