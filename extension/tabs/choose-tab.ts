import type { MatchPattern } from './match-pattern.ts';
import type { TabInfo } from './tab-mirror.ts';

/** What a call wants of its tab. */
export interface Wanted {
  readonly hostMatch: string;
  readonly pattern: MatchPattern;
  readonly url: string | null;
  readonly onTarget: string | null;
  readonly loginRedirect: string | null;
  readonly strategy: 'reuse' | 'ephemeral' | 'persistent';
  /** The page is loaded again even where it is open: only the server knows whether its session still exists. */
  readonly isFresh?: boolean;
}

/** A tab Forge opened itself. */
export interface OwnTab {
  readonly hostMatch: string;
  readonly strategy: Wanted['strategy'];
}

export interface Candidate {
  readonly tab: TabInfo;
  readonly isOwn: boolean;
  /** Where it has to go first; null when it can be used as it is. */
  readonly goTo: string | null;
}

/**
 * The tabs a call may use, best first: Forge's own, then the one the person looked at last (W-12). A tab the person is looking at is
 * used where it stands or not at all.
 */
export function rankTabs(
  tabs: Iterable<TabInfo>,
  wanted: Wanted,
  ownTab: (id: number) => OwnTab | undefined,
  isOut: (tab: TabInfo) => boolean,
): Candidate[] {
  if (wanted.strategy === 'ephemeral') return [];
  const found: Candidate[] = [];
  for (const tab of tabs) {
    const own = ownTab(tab.id);
    if (!fits(tab, wanted, own) || tab.isFrozen || isOut(tab)) continue;
    const goTo = destination(tab, wanted);
    if (goTo !== null && tab.active) continue;
    found.push({ tab, isOwn: own !== undefined, goTo });
  }
  return found.length < 2 ? found : found.sort(compare);
}

/** Forge's own tab counts also when it was led elsewhere, say to a login page: it was opened for this site. */
function fits(tab: TabInfo, wanted: Wanted, own: OwnTab | undefined): boolean {
  if (own?.strategy === 'ephemeral') return false;
  if (wanted.strategy === 'persistent') return own?.strategy === 'persistent' && own.hostMatch === wanted.hostMatch;
  return own?.hostMatch === wanted.hostMatch || wanted.pattern.matches(tab.url);
}

/**
 * Where a tab has to go for a call, or null when it is there already (C-34, C-35). A tab on a login page never is: the person may have
 * logged in elsewhere since, and such addresses often carry the page that was wanted.
 */
export function destination(tab: Pick<TabInfo, 'url'>, wanted: Wanted): string | null {
  const { url, onTarget, pattern } = wanted;
  const isOnSite = pattern.matches(tab.url) && !isLoginPage(tab.url, wanted);
  if (url === null && isOnSite) return wanted.isFresh === true ? tab.url : null;
  if (url === null) return pattern.startUrl;
  return onTarget !== null && onTarget !== '' && isOnSite && tab.url.includes(onTarget) ? null : url;
}

/** Whether a site is open in some tab, past its login page: the browser that can say yes gets the call (K-55). */
export function hasSite(
  tabs: Iterable<Pick<TabInfo, 'url'>>,
  wanted: Pick<Wanted, 'pattern' | 'loginRedirect'>,
  isOwnPage: (url: string) => boolean,
): boolean {
  for (const { url } of tabs)
    if (wanted.pattern.matches(url) && !isLoginPage(url, wanted) && !isOwnPage(url)) return true;
  return false;
}

/** Whether an address is the site's login page (C-24). */
export function isLoginPage(url: string, { loginRedirect }: Pick<Wanted, 'loginRedirect'>): boolean {
  return loginRedirect !== null && loginRedirect !== '' && url.includes(loginRedirect);
}

function compare(a: Candidate, b: Candidate): number {
  return Number(b.isOwn) - Number(a.isOwn) || b.tab.lastAccessed - a.tab.lastAccessed;
}
