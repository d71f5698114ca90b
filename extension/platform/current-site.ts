import { browser, extensionId, isChromium } from './browser.ts';

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
