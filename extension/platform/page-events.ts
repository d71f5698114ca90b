import { BLANK, type PageEvent, type PageEvents } from '../tabs/page-load.ts';
import type { TabMirror } from '../tabs/tab-mirror.ts';
import { loadErrorName } from './load-errors.ts';

/** Listens to the top frame of every tab: the mirror learns of it first, then whoever waits for that tab. `onGone`: a document has left. */
export function listenToPages(mirror: TabMirror, onGone: (tabId: number) => void): PageEvents {
  const listeners = new Map<number, Set<(event: PageEvent) => void>>();
  const tell = (tabId: number, event: PageEvent): void => {
    for (const listener of listeners.get(tabId) ?? []) listener(event);
  };
  const inTop = <D extends { tabId: number; frameId: number }>(handle: (details: D) => void) => {
    return (details: D): void => {
      if (details.frameId === 0) handle(details);
    };
  };
  const { webNavigation, tabs } = chrome;

  webNavigation.onBeforeNavigate.addListener(inTop(({ tabId }) => tell(tabId, { kind: 'started' })));
  webNavigation.onCommitted.addListener(
    inTop((details) => {
      const { tabId, url } = details;
      mirror.committed(tabId, url, documentIdOf(details));
      onGone(tabId);
      tell(tabId, { kind: 'committed', url });
    }),
  );
  webNavigation.onDOMContentLoaded.addListener(
    inTop(({ tabId }) => {
      mirror.updated(tabId, { isParsed: true });
      tell(tabId, { kind: 'parsed' });
    }),
  );
  webNavigation.onCompleted.addListener(
    inTop(({ tabId, url }) => {
      mirror.updated(tabId, { isParsed: true });
      tell(tabId, { kind: url === BLANK ? 'blank' : 'loaded' });
    }),
  );
  const moved = inTop(({ tabId, url }: { tabId: number; frameId: number; url: string }) => {
    mirror.moved(tabId, url);
    tell(tabId, { kind: 'moved', url });
  });
  webNavigation.onHistoryStateUpdated.addListener(moved);
  webNavigation.onReferenceFragmentUpdated.addListener(moved);
  webNavigation.onErrorOccurred.addListener(
    inTop(({ tabId, error }) => tell(tabId, { kind: 'failed', error: loadErrorName(error) })),
  );
  tabs.onRemoved.addListener((tabId) => {
    onGone(tabId);
    tell(tabId, { kind: 'closed' });
  });

  return {
    listen(tabId, callback) {
      const known = listeners.get(tabId) ?? new Set();
      known.add(callback);
      listeners.set(tabId, known);
      return () => {
        known.delete(callback);
        if (known.size === 0) listeners.delete(tabId);
      };
    },
  };
}

/** Firefox does not name documents. */
export function documentIdOf(details: { documentId?: string }): string | null {
  return details.documentId ?? null;
}
