import browser from 'webextension-polyfill';
import { onlyPortIn } from '../bridge/saved.ts';

/** The browser's own API with promises in every browser. Outside this folder nothing touches it. */
export { browser };

/** Chromium has offscreen documents and a switch for user scripts; Firefox has neither. */
export const isChromium = typeof chrome.offscreen === 'object';

export const extensionId: string = chrome.runtime.id;

export function extensionVersion(): string {
  return browser.runtime.getManifest().version;
}

/** The one port this build may connect to, or null when the person can choose. */
export const onlyPort: number | null = onlyPortIn(policyOf(browser.runtime.getManifest().content_security_policy));

function policyOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || !('extension_pages' in value)) return '';
  return typeof value.extension_pages === 'string' ? value.extension_pages : '';
}

/** As the server hears it from the browser. */
export function extensionOrigin(): string {
  return browser.runtime.getURL('').replace(/\/$/, '');
}

/** The address of one of our own pages. */
export function pageUrl(page: string): string {
  return browser.runtime.getURL(page);
}

/** What a person calls this browser, and the system it runs on. */
export async function describeBrowser(): Promise<{ browser: string; platform: string }> {
  const { os } = await browser.runtime.getPlatformInfo();
  return { browser: browserName(navigator.userAgent), platform: SYSTEMS[os] ?? os };
}

const SYSTEMS: Partial<Record<string, string>> = {
  android: 'Android',
  cros: 'ChromeOS',
  linux: 'Linux',
  mac: 'macOS',
  win: 'Windows',
};

const NAMES: [mark: RegExp, name: string][] = [
  [/\bFirefox\/(\d+)/, 'Firefox'],
  [/\bEdg\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\b(?:Headless)?Chrome\/(\d+)/, 'Chrome'],
];

function browserName(userAgent: string): string {
  for (const [mark, name] of NAMES) {
    const version = mark.exec(userAgent)?.[1];
    if (version !== undefined) return `${name} ${version}`;
  }
  return 'Browser';
}
