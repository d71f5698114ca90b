import { TICKET_PAGE } from '../../shared/extension-id.ts';
import { pageUrl } from './browser.ts';

/**
 * A browser that Forge starts opens its first page before the extension is loaded, and blocks it. It is loaded again then, once. The
 * page itself takes the ticket out of its address, so a complete one that still has it was never shown.
 */
export function reloadTicketPage(): void {
  const address = `${pageUrl(TICKET_PAGE)}#`;
  const reloaded = new Set<number>();
  const look = ({ id, url, status }: chrome.tabs.Tab): void => {
    if (id === undefined || status !== 'complete' || url?.startsWith(address) !== true || reloaded.has(id)) return;
    reloaded.add(id);
    void chrome.tabs.reload(id);
  };
  chrome.tabs.onUpdated.addListener((_id, { status }, tab) => {
    if (status === 'complete') look(tab);
  });
  void chrome.tabs.query({}).then((tabs) => tabs.forEach(look));
}
