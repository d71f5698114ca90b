/** What is known of a tab. `url` is empty for pages the extension may not see. */
export interface TabInfo {
  readonly id: number;
  readonly windowId: number;
  readonly url: string;
  /** Names the document in the tab, so that a script never lands in the one that replaced it; null until it is asked for. */
  readonly documentId: string | null;
  readonly active: boolean;
  readonly isLoading: boolean;
  /** The document is complete, whatever it still loads. */
  readonly isParsed: boolean;
  readonly isDiscarded: boolean;
  readonly isFrozen: boolean;
  /** When the person last looked at it, in milliseconds since 1970. */
  readonly lastAccessed: number;
}

export type TabChange = Partial<Pick<TabInfo, 'url' | 'isLoading' | 'isParsed' | 'isDiscarded' | 'isFrozen'>>;

export type TabMirror = ReturnType<typeof createTabMirror>;

/** The open tabs as the browser's events tell them: finding one for a call then costs no question to the browser. */
export function createTabMirror(now: () => number = Date.now) {
  const tabs = new Map<number, TabInfo>();
  const change = (id: number, changes: Partial<TabInfo>): void => {
    const tab = tabs.get(id);
    if (tab !== undefined) tabs.set(id, { ...tab, ...changes });
  };

  return {
    all: (): IterableIterator<TabInfo> => tabs.values(),
    get: (id: number): TabInfo | undefined => tabs.get(id),
    /** Takes a tab as the browser describes it; what only navigation events tell is kept. */
    put(tab: TabInfo): void {
      const known = tabs.get(tab.id);
      // An address and a document's name are only ever taken together.
      const isSame =
        known !== undefined &&
        known.documentId !== null &&
        (tab.documentId === null ? tab.url === known.url || tab.url === '' : tab.documentId === known.documentId);
      const kept = isSame ? { url: known.url, documentId: known.documentId, isParsed: known.isParsed } : {};
      tabs.set(tab.id, { ...tab, ...kept });
    },
    updated: (id: number, changes: TabChange): void => change(id, changes),
    /** A new document is in the tab. */
    committed(id: number, url: string, documentId: string | null): void {
      change(id, { url, documentId, isDiscarded: false, isParsed: false });
    },
    /** The same document, at another address: a fragment or a route of the page's own. */
    moved: (id: number, url: string): void => change(id, { url }),
    activated(id: number, windowId: number): void {
      for (const tab of tabs.values()) {
        if (tab.windowId === windowId && tab.active && tab.id !== id)
          change(tab.id, { active: false, lastAccessed: now() });
      }
      change(id, { active: true, windowId, lastAccessed: now() });
    },
    removed: (id: number): void => void tabs.delete(id),
    /** The browser gives a tab another id when it discards or prerenders its page. */
    replaced(oldId: number, newId: number): void {
      const tab = tabs.get(oldId);
      if (tab === undefined) return;
      tabs.delete(oldId);
      tabs.set(newId, { ...tab, id: newId, documentId: null });
    },
  };
}
