import { TICKET_PAGE } from '../../shared/extension-id.ts';
import { pageUrl } from './browser.ts';

const LOOK_EVERY_MS = 250;
const MOST_LOOKS = 240;

/**
 * A browser that Forge starts opens its first page before the extension is loaded, and blocks it. Such a page is loaded again until it
 * is shown. The page itself takes the ticket out of its address, so a complete one that still has it was never shown. An event alone
 * would not do: the page may be complete before the browser knows that the worker listens.
 */
export function reloadTicketPage(): void {
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    for (let looks = 0; looks < MOST_LOOKS && (await reloadBlocked()); looks++) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    isLooking = false;
  };
  chrome.tabs.onUpdated.addListener((_id, _change, { url }) => {
    if (hasTicket(url)) void look();
  });
  void look();
}

const hasTicket = (url: string | undefined): boolean => url?.startsWith(`${pageUrl(TICKET_PAGE)}#`) === true;

/** Whether a tab still has a ticket in its address. */
async function reloadBlocked(): Promise<boolean> {
  const tabs = (await chrome.tabs.query({})).filter(({ url }) => hasTicket(url));
  for (const { id, status } of tabs) {
    // A tab that was closed since has nothing to reload.
    if (id !== undefined && status === 'complete') await chrome.tabs.reload(id).catch(() => undefined);
  }
  return tabs.length > 0;
}
