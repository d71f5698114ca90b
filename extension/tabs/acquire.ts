import { ForgeError } from '../../shared/errors.ts';
import { ownPageRefused } from '../../shared/own-origins.ts';
import type { Clock } from '../clock.ts';
import { orAborted } from '../or-aborted.ts';
import { destination, rankTabs, type Wanted } from './choose-tab.ts';
import type { Lanes, Place } from './lanes.ts';
import type { OwnTabs } from './own-tabs.ts';
import { BLANK, loadPage, type PageEvents, type Progress } from './page-load.ts';
import type { TabInfo, TabMirror } from './tab-mirror.ts';

/** What acquiring asks of the browser. */
export interface TabDoor {
  open: (url: string) => Promise<TabInfo>;
  navigate: (tabId: number, url: string) => Promise<void>;
  reload: (tabId: number) => Promise<void>;
  close: (tabId: number) => Promise<void>;
  /** The tab as it is now, with its document; null when it is gone. */
  look: (tabId: number) => Promise<TabInfo | null>;
  hasUnsavedInput: (tabId: number) => Promise<boolean>;
}

export interface FinderDeps {
  door: TabDoor;
  mirror: TabMirror;
  own: OwnTabs;
  lanes: Lanes;
  events: PageEvents;
  clock: Clock;
  /** Forge's own pages, in which no call has any business. */
  isOwnPage: (url: string) => boolean;
}

/** A tab that belongs to one call until it is released. */
export interface Lease {
  readonly tab: TabInfo;
  release: () => void;
  /** Gives the tab back although a script may still be at work there. The returned function says that it has ended after all. */
  giveUp: () => () => void;
}

export interface AcquireOptions {
  settleMs: number;
  signal: AbortSignal;
  /** The script is known to run in one go, so it may share the tab with others of its kind. */
  isQuick: boolean;
  /** Told while a page loads, because running out of time then is another failure. */
  onLoading?: (isLoading: boolean) => void;
}

const MAX_ROUNDS = 20;
/** A page that has not said by now what is typed in it hangs or shows a dialog, and could not be left either. */
const PAGE_ANSWERS_MS = 1000;
const MAX_USED = 500;

/** Finds, opens and prepares the tab for a call. */
export class TabFinder {
  readonly #deps: FinderDeps;
  /** Tabs of the person's in which scripts that were given up may still be at work, with a mark for each. */
  readonly #stuck = new Map<number, Set<symbol>>();
  readonly #opening = new Map<string, Promise<unknown>>();
  /** Tabs that calls have had; the person may be shown those. */
  readonly #used = new Set<number>();

  constructor(deps: FinderDeps) {
    this.#deps = deps;
  }

  async acquire(wanted: Wanted, options: AcquireOptions): Promise<Lease> {
    const { mirror, own, isOwnPage } = this.#deps;
    const start = wanted.url ?? wanted.pattern.startUrl;
    if (isOwnPage(start)) throw ownPageRefused(start);
    const refused = new Set<number>();
    const isOut = ({ id, url }: TabInfo): boolean => this.#stuck.has(id) || refused.has(id) || isOwnPage(url);
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      options.signal.throwIfAborted();
      const [best] = rankTabs(mirror.all(), wanted, own.get, isOut);
      if (best !== undefined) {
        const lease = await this.#take(best.tab.id, wanted, options);
        if (lease !== null) return lease;
        refused.add(best.tab.id);
        continue;
      }
      if (wanted.strategy === 'ephemeral') return this.#prepareNew(this.#open(wanted, options.signal), wanted, options);
      // Calls that arrive together share the tab that the first of them opens.
      const site = `${wanted.strategy} ${wanted.hostMatch}`;
      const other = this.#opening.get(site);
      if (other === undefined) {
        const opened = this.#open(wanted, options.signal);
        const settled = opened.then(ignore, ignore).finally(() => this.#opening.delete(site));
        this.#opening.set(site, settled);
        return this.#prepareNew(opened, wanted, options);
      }
      await orAborted(other, options.signal);
    }
    throw new ForgeError('browser_busy', 'No tab stayed as it was long enough to be used.');
  }

  /** Whatever was at work in a tab has gone with its page. */
  pageGone(tabId: number): void {
    this.#stuck.delete(tabId);
  }

  wasUsed(tabId: number): boolean {
    return this.#used.has(tabId);
  }

  /** Closes what Forge opened and has not used for a while. */
  closeIdle(): void {
    const { own, lanes } = this.#deps;
    for (const id of own.idle()) if (!lanes.isBusy(id)) this.#close(id);
  }

  /** Closes a tab of ours; for everybody else it is gone from this moment on. */
  #close(id: number): void {
    this.#deps.own.forget(id);
    this.#deps.mirror.removed(id);
    void this.#deps.door.close(id);
  }

  #lease(tab: TabInfo, wanted: Wanted, place: Place): Lease {
    const { own } = this.#deps;
    if (this.#used.size >= MAX_USED && !this.#used.has(tab.id)) this.#used.clear();
    this.#used.add(tab.id);
    const isSingle = wanted.strategy === 'ephemeral';
    const leave = (isOver: boolean): void => {
      own.used(tab.id);
      if (isOver) this.#close(tab.id);
      place.leave();
    };
    return {
      tab,
      release: () => leave(isSingle),
      giveUp: () => {
        const isOver = isSingle || own.has(tab.id);
        const unmark = isOver ? ignore : this.#mark(tab.id);
        leave(isOver);
        return unmark;
      },
    };
  }

  /** Nobody gets the tab until the returned function is called, or its page is gone. */
  #mark(tabId: number): () => void {
    const marks = this.#stuck.get(tabId) ?? new Set();
    const mark = Symbol();
    this.#stuck.set(tabId, marks.add(mark));
    return () => {
      marks.delete(mark);
      if (marks.size === 0 && this.#stuck.get(tabId) === marks) this.#stuck.delete(tabId);
    };
  }

  /** Takes its place in the tab's queue and prepares it; null when the tab turns out not to do. */
  async #take(id: number, wanted: Wanted, options: AcquireOptions): Promise<Lease | null> {
    const place = await this.#deps.lanes.enter(id, !options.isQuick, options.signal);
    try {
      const ready = this.#stuck.has(id) ? null : await this.#prepare(id, place, wanted, options);
      if (ready !== null) return this.#lease(ready, wanted, place);
    } catch (error) {
      // A page that never finished would keep whoever takes the tab next waiting as well.
      const { own, mirror } = this.#deps;
      const isMine = options.signal.aborted && place.isInside();
      if (isMine && own.has(id) && mirror.get(id)?.isLoading === true) this.#close(id);
      place.leave();
      throw error;
    }
    place.leave();
    return null;
  }

  /** Brings a tab to where the call wants it; null when it cannot be used after all. */
  async #prepare(id: number, place: Place, wanted: Wanted, options: AcquireOptions): Promise<TabInfo | null> {
    const { door, mirror, isOwnPage } = this.#deps;
    let tab = await this.#known(id);
    if (tab === null || isOwnPage(tab.url)) return null;
    if (isReady(tab, wanted)) return tab;
    if (options.isQuick) {
      // Others may be in the tab, so it is looked at again once they have left.
      await place.becomeAlone(options.signal);
      if (this.#stuck.has(id)) return null;
      tab = mirror.get(id) ?? null;
      if (tab === null || isOwnPage(tab.url)) return null;
      if (isReady(tab, wanted)) return tab;
    }
    const { isDiscarded } = tab;
    const goTo = destination(tab, wanted);
    // The same address with a fragment would only scroll.
    const isSamePage = goTo === tab.url && goTo.includes('#');
    if (goTo !== null && (tab.active || (!isDiscarded && !(await this.#mayLeave(id, options.signal))))) return null;
    const start = async (): Promise<Progress> => {
      if (goTo !== null && !isSamePage) await door.navigate(id, goTo);
      else if (isSamePage || isDiscarded) await door.reload(id);
      else return this.#progress(id);
      return 'loading';
    };
    return this.#load(id, start, options);
  }

  /** Whether nothing is lost when a tab leaves its page. One whose page does not answer is as good as a tab with a script that was given up. */
  async #mayLeave(id: number, signal: AbortSignal): Promise<boolean> {
    const { door, clock, own } = this.#deps;
    let stopTimer = (): void => undefined;
    const silence = new Promise<null>((resolve) => {
      stopTimer = clock.after(PAGE_ANSWERS_MS, () => resolve(null));
    });
    const asked = door.hasUnsavedInput(id);
    try {
      const isUnsaved = await orAborted(Promise.race([asked, silence]), signal);
      if (isUnsaved !== null) return !isUnsaved;
    } finally {
      stopTimer();
    }
    if (own.has(id)) this.#close(id);
    else {
      const unmark = this.#mark(id);
      asked.then(unmark, unmark);
    }
    return false;
  }

  async #open(wanted: Wanted, signal: AbortSignal): Promise<{ tab: TabInfo; place: Place }> {
    const { door, own, mirror, lanes } = this.#deps;
    const tab = await door.open(wanted.url ?? wanted.pattern.startUrl);
    own.add(tab.id, { hostMatch: wanted.hostMatch, strategy: wanted.strategy });
    mirror.put(tab);
    try {
      return { tab, place: await lanes.enter(tab.id, true, signal) };
    } catch (error) {
      this.#close(tab.id);
      throw error;
    }
  }

  async #prepareNew(
    opened: Promise<{ tab: TabInfo; place: Place }>,
    wanted: Wanted,
    options: AcquireOptions,
  ): Promise<Lease> {
    const { tab, place } = await opened;
    try {
      return this.#lease(await this.#load(tab.id, () => this.#progress(tab.id), options), wanted, place);
    } catch (error) {
      const lease = this.#lease(tab, wanted, place);
      if (options.signal.aborted) lease.giveUp();
      else lease.release();
      throw error;
    }
  }

  /** Loads a page in a tab, and says what is there afterwards. */
  async #load(id: number, start: () => Promise<Progress>, options: AcquireOptions): Promise<TabInfo> {
    const { door, mirror, events, clock } = this.#deps;
    const { signal, settleMs } = options;
    const isLoading = (tabId: number): boolean => mirror.get(tabId)?.isLoading === true;
    options.onLoading?.(true);
    await loadPage(id, start, { events, clock, isLoading, signal });
    options.onLoading?.(false);
    if (settleMs > 0) await orAborted(new Promise<void>((resolve) => clock.after(settleMs, resolve)), signal);
    const tab = await door.look(id);
    if (tab === null) throw new ForgeError('tab_closed', 'The tab was closed while its page was loading.');
    if (this.#deps.isOwnPage(tab.url)) {
      // The site has led here. Nobody would look for a tab of ours on this page.
      if (this.#deps.own.has(id)) this.#close(id);
      throw ownPageRefused(tab.url);
    }
    // A page that was waited for long enough is not waited for again.
    mirror.put({ ...tab, isLoading: false });
    return tab;
  }

  async #progress(id: number): Promise<Progress> {
    const tab = await this.#deps.door.look(id);
    if (tab?.isLoading === false) return tab.url === BLANK ? 'blank' : 'loaded';
    return this.#deps.mirror.get(id)?.isParsed === true ? 'parsed' : 'loading';
  }

  /** The tab with its document's id. Events tell both; only a worker that has just started has to ask. */
  async #known(id: number): Promise<TabInfo | null> {
    const { mirror, door } = this.#deps;
    const tab = mirror.get(id);
    if (tab === undefined || tab.documentId !== null || tab.isDiscarded) return tab ?? null;
    const now = await door.look(id);
    if (now !== null) mirror.put(now);
    return now;
  }
}

function isReady(tab: TabInfo, wanted: Wanted): boolean {
  return !tab.isDiscarded && !tab.isLoading && destination(tab, wanted) === null;
}

function ignore(): void {
  // Nothing is left to do, or whoever opened the tab tells what went wrong with it.
}
