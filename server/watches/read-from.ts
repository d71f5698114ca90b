import type { CallRequest } from '../tools/call-tool.ts';
import { otherSites } from '../tools/sites-read.ts';
import type { WatchPlan } from './watch.ts';

/** Stands for sites that nobody has written down. */
const ANY = '*';

/** All sites whose content may lead to what a watch calls. */
export function sitesBehind({ readFrom }: Pick<WatchPlan, 'readFrom'>): string[] {
  return readFrom === undefined ? [ANY] : [...new Set([...readFrom.before, ...readFrom.own])];
}

type OtherSites = NonNullable<CallRequest['otherSites']>;

/** For the tool that the end of a watch runs: a change to another site than the content comes from is put to a person. */
export function othersForAction(plan: Pick<WatchPlan, 'readFrom'>): OtherSites {
  return ({ site, isReadOnly }) => (isReadOnly ? [] : otherSites(sitesBehind(plan), site));
}

/**
 * The same for polls, and `onSite` is told whom they ask. A watch goes on asking the site it was begun on, whichever of a pattern's sites
 * that is.
 */
export function othersForPoll({ readFrom }: Pick<WatchPlan, 'readFrom'>, onSite: (site: string) => void): OtherSites {
  return ({ site, isReadOnly }) => {
    onSite(site);
    if (isReadOnly || readFrom === undefined) return [];
    const { before, own } = readFrom;
    const led = own.includes(site) ? before.filter((one) => one !== site) : otherSites(before, site);
    return [...led, ...own.filter((one) => one !== site)];
  };
}
