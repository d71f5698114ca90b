import { browser } from './browser.ts';
import { parseUrl } from '../../shared/parse-url.ts';

/** The page that the person looks at. */
export interface FrontTab {
  readonly tabId: number;
  readonly url: string;
}

/**
 * Calls back with the tab in front of the window that this page is in, now and whenever it is another one or shows another page; null where
 * no tool could run. A page that is opened in a tab of its own names the tab it is about: `?tab=`.
 */
export function followFrontTab(callback: (tab: FrontTab | null) => void): void {
  let asked = 0;
  const look = async (): Promise<void> => {
    asked += 1;
    const mine = asked;
    const found = await readFrontTab();
    if (mine === asked) callback(found);
  };
  const lookSoon = (): void => void look();
  const inTop = ({ frameId }: { frameId: number }): void => (frameId === 0 ? lookSoon() : undefined);
  browser.tabs.onActivated.addListener(lookSoon);
  browser.tabs.onRemoved.addListener(lookSoon);
  browser.webNavigation.onCommitted.addListener(inTop);
  browser.webNavigation.onHistoryStateUpdated.addListener(inTop);
  browser.webNavigation.onReferenceFragmentUpdated.addListener(inTop);
  lookSoon();
}

/** The tab that the page is about. */
export async function readFrontTab(): Promise<FrontTab | null> {
  const named = Number(new URLSearchParams(location.search).get('tab') ?? 0);
  const tabId = named !== 0 ? named : (await browser.tabs.query({ active: true, currentWindow: true }))[0]?.id;
  if (tabId === undefined) return null;
  // The address of a site that is not allowed yet is known to the navigation API only.
  const frame = await browser.webNavigation.getFrame({ tabId, frameId: 0 }).catch(() => null);
  const url = frame?.url ?? '';
  return /^https?:/.test(url) && parseUrl(url) !== null ? { tabId, url } : null;
}
