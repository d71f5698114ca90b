import { browser, extensionId, isChromium } from './browser.ts';
import { readFrontTab } from './front-tab.ts';

/** The site of the tab in front, or null where no tool could run. */
export async function currentSite(): Promise<string | null> {
  const tab = await readFrontTab(null);
  return tab === null ? null : new URL(tab.url).origin;
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
