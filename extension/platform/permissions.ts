import { browser, isChromium } from './browser.ts';

/** Whether the person has allowed each of these patterns; asked of the browser once, and again when a permission changes. */
export function createPermissionCache() {
  const known = new Map<string, boolean>();
  return {
    async has(origin: string): Promise<boolean> {
      const cached = known.get(origin);
      if (cached !== undefined) return cached;
      const allowed = await hasPermission(origin);
      known.set(origin, allowed);
      return allowed;
    },
    clear: (): void => known.clear(),
  };
}

export type PermissionCache = ReturnType<typeof createPermissionCache>;

export function hasPermission(origin: string): Promise<boolean> {
  return browser.permissions.contains({ origins: [forThisBrowser(origin)] });
}

/** Asks the person. Works only in one of our pages and only while a click is handled. */
export function requestPermission(origins: readonly string[]): Promise<boolean> {
  return browser.permissions.request({ origins: origins.map(forThisBrowser) });
}

export function removePermission(origin: string): Promise<boolean> {
  return browser.permissions.remove({ origins: [origin] });
}

export async function grantedOrigins(): Promise<string[]> {
  return (await browser.permissions.getAll()).origins ?? [];
}

/** Returns how to stop listening. */
export function onPermissionsChanged(callback: () => void): () => void {
  browser.permissions.onAdded.addListener(callback);
  browser.permissions.onRemoved.addListener(callback);
  return () => {
    browser.permissions.onAdded.removeListener(callback);
    browser.permissions.onRemoved.removeListener(callback);
  };
}

/** Firefox knows no ports in patterns. */
function forThisBrowser(origin: string): string {
  return isChromium ? origin : origin.replace(/:\d+\/\*$/, '/*');
}
