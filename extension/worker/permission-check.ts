import { ForgeError } from '../../shared/errors.ts';
import { ownPageRefused } from '../../shared/own-origins.ts';
import type { Storage } from '../bridge/saved.ts';
import type { PermissionCache } from '../platform/permissions.ts';

/** A site that was needed and is not allowed. */
export interface WantedSite {
  /** How a person reads it: https://jira.acme.com. */
  readonly site: string;
  readonly origins: readonly string[];
  /** What needed it last: Jira: list_my_issues. */
  readonly why: string;
}

interface Deps {
  cache: Pick<PermissionCache, 'has' | 'clear'>;
  /** Keeps the list for the next worker. */
  storage: Storage;
  /** Whether a pattern stands for Forge's own pages only; nobody is asked for those. */
  isOwnPattern: (pattern: string) => boolean;
  /** The list of sites the person is asked for in the popup has changed. */
  onWanted: () => void;
}

const WANTED_SITES = 'wanted_sites';

/** Whether the person has allowed a site, and the list of those that were needed and are not. */
export function createPermissionCheck({ cache, storage, isOwnPattern, onWanted }: Deps) {
  const wanted = new Map<string, WantedSite>();
  const isAllowed = async (origins: readonly string[]): Promise<boolean> => {
    for (const origin of origins) if (await cache.has(origin)) return true;
    return false;
  };
  const changed = (): void => {
    void storage.set({ [WANTED_SITES]: [...wanted.values()] });
    onWanted();
  };
  /** Permissions have changed: what was asked for may be allowed now. */
  const refresh = async (): Promise<void> => {
    cache.clear();
    for (const [site, { origins }] of wanted) if (await isAllowed(origins)) wanted.delete(site);
    changed();
  };

  return {
    check: async (origins: readonly string[], why: string): Promise<void> => {
      if (origins.every(isOwnPattern)) throw ownPageRefused(siteOf(origins));
      if (await isAllowed(origins)) return;
      const site = siteOf(origins);
      if (wanted.get(site)?.why !== why) {
        wanted.set(site, { site, origins, why });
        changed();
      }
      throw new ForgeError('permission_missing', `Forge is not allowed to use ${site} in this browser.`, {
        hint: `Open the Forge extension’s popup and allow ${site}.`,
        details: { origins },
      });
    },
    refresh,
    /** What the worker before this one was refused. */
    async restore(): Promise<void> {
      const list = (await storage.get())[WANTED_SITES];
      if (!Array.isArray(list)) return;
      // Written by this module only, and gone with the browser.
      for (const one of list as WantedSite[]) if (!wanted.has(one.site)) wanted.set(one.site, one);
      await refresh();
    },
    wanted: (): WantedSite[] => [...wanted.values()],
  };
}

function siteOf(origins: readonly string[]): string {
  const [first = ''] = origins;
  return (origins.length > 1 ? first.replace(/^http:/, '*:') : first).replace(/\/\*$/, '');
}
