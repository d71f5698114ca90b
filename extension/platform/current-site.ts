import { browser, extensionId, isChromium } from './browser.ts';

/** The site of the tab in front, or null where no tool could run. */
export async function currentSite(): Promise<string | null> {
  const [tab] = await browser.tabs.query({ active: true, currentWindow: true });
  if (tab?.id === undefined) return null;
  // The address of a site that is not allowed yet is known to the navigation API only.
  const frame = await browser.webNavigation.getFrame({ tabId: tab.id, frameId: 0 }).catch(() => null);
  const url = frame?.url ?? '';
  return /^https?:/.test(url) && URL.canParse(url) ? new URL(url).origin : null;
}

export function openTab(url: string): void {
  void browser.tabs.create({ url });
}

export function openOptions(): void {
  void browser.runtime.openOptionsPage();
}

/** Where the person turns user scripts on: a switch in Chromium, a permission in Firefox. */
export async function askForUserScripts(): Promise<void> {
  if (isChromium) openTab(`chrome://extensions/?id=${extensionId}`);
  else await browser.permissions.request({ permissions: ['userScripts'] });
}
