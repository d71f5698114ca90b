import type { Storage } from '../bridge/saved.ts';
import { browser } from './browser.ts';

/** What outlives the browser. Only the extension's own pages can read it. */
export const localStorage: Storage = {
  get: () => browser.storage.local.get(null),
  set: (values) => browser.storage.local.set(values),
};

/** What outlives the worker but not the browser. */
export const sessionStorage: Storage = {
  get: () => browser.storage.session.get(null),
  set: (values) => browser.storage.session.set(values),
};

/** Keeps scripts in pages away from the key. Firefox lets them nowhere near it anyway and has no such call. */
export async function guardStorage(): Promise<void> {
  const area: Partial<Pick<chrome.storage.StorageArea, 'setAccessLevel'>> = chrome.storage.local;
  await area.setAccessLevel?.({ accessLevel: 'TRUSTED_CONTEXTS' });
}

/** Calls back with the new values of what has changed in local storage. */
export function onStored(callback: (changes: Record<string, unknown>) => void): void {
  browser.storage.local.onChanged.addListener((changes) => {
    callback(Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, change.newValue])));
  });
}
