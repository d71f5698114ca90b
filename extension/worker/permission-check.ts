import { ForgeError } from '../../shared/errors.ts';
import type { PermissionCache } from '../platform/permissions.ts';

interface Deps {
  cache: Pick<PermissionCache, 'has' | 'clear'>;
  /** The list of sites the person is asked for in the popup has changed. */
  onWanted: () => void;
}

/** Whether the person has allowed a site, and the list of those that were needed and are not. */
export function createPermissionCheck({ cache, onWanted }: Deps) {
  const wanted = new Map<string, readonly string[]>();
  const isAllowed = async (origins: readonly string[]): Promise<boolean> => {
    for (const origin of origins) if (await cache.has(origin)) return true;
    return false;
  };

  return {
    check: async (origins: readonly string[]): Promise<void> => {
      if (await isAllowed(origins)) return;
      const site = siteOf(origins);
      if (!wanted.has(site)) {
        wanted.set(site, origins);
        onWanted();
      }
      throw new ForgeError('permission_missing', `Forge is not allowed to use ${site} in this browser.`, {
        hint: `Open the Forge extension’s popup and allow ${site}.`,
        details: { origins },
      });
    },
    /** Permissions have changed: what was asked for may be allowed now. */
    async refresh(): Promise<void> {
      cache.clear();
      for (const [site, origins] of wanted) if (await isAllowed(origins)) wanted.delete(site);
      onWanted();
    },
    wanted: (): string[] => [...wanted.values()].flat(),
  };
}

/** How a person reads it: https://jira.acme.com. */
function siteOf(origins: readonly string[]): string {
  const [first = ''] = origins;
  return (origins.length > 1 ? first.replace(/^http:/, '*:') : first).replace(/\/\*$/, '');
}
