import { browser, isChromium } from './browser.ts';

/** Readies what a click can then do at once: browsers open the panel only while a click is being handled. */
export function sidePanelOpener(): () => void {
  let windowId: number | undefined;
  void browser.windows.getCurrent().then(({ id }) => (windowId = id));
  return () => {
    if (!isChromium) void browser.sidebarAction.open();
    else if (windowId !== undefined) void chrome.sidePanel.open({ windowId });
  };
}
