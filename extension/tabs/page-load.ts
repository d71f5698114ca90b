import { ForgeError } from '../../shared/errors.ts';
import type { Clock } from '../clock.ts';

/** What happens to the page of a tab, as the browser's navigation events tell it. */
export type PageEvent =
  | { kind: 'started' }
  | { kind: 'committed'; url: string }
  | { kind: 'parsed' }
  | { kind: 'loaded' }
  /** The empty page that a new tab may begin with is there. */
  | { kind: 'blank' }
  /** The address changed without a new document. */
  | { kind: 'moved'; url: string }
  | { kind: 'failed'; error: string }
  | { kind: 'closed' };

export interface PageEvents {
  /** Calls back for every event of a tab until the returned function is called. */
  listen: (tabId: number, callback: (event: PageEvent) => void) => () => void;
}

export const BLANK = 'about:blank';

/** A redirect by script or by a meta tag starts within this time of the load; a page that does not has reached its address. */
const STABLE_MS = 60;
/** After this long a page that only lacks some picture or frame is taken as it is. */
const PARSED_IS_ENOUGH_MS = 10_000;
/** Firefox finishes the empty page of a new tab first, and on a busy computer takes its time before it goes on. */
const STAYS_BLANK_MS = 10_000;
/** An aborted navigation is an error unless another one takes its place. */
const ABORTED_MS = 500;
const ABORTED = 'net::ERR_ABORTED';

interface WaitDeps {
  events: PageEvents;
  /** Whether the browser shows the tab as loading. */
  isLoading: (tabId: number) => boolean;
  clock: Clock;
  signal: AbortSignal;
}

/** How far a page is: `parsed` has its whole document and waits for pictures or frames; `blank` has not begun. */
export type Progress = 'loading' | 'parsed' | 'loaded' | 'blank';

/**
 * Does something that loads a page, and waits until it is loaded and its address has settled. `start` tells how far the
 * page is already: it can be complete before anybody listens.
 */
export function loadPage(tabId: number, start: () => Promise<Progress>, deps: WaitDeps): Promise<void> {
  const { events, clock, signal } = deps;
  return new Promise((resolve, reject) => {
    let cancelTimer: (() => void) | null = null;
    let cancelLimit: (() => void) | null = null;
    let isUnderWay = false;
    const finish = (settle: () => void): void => {
      cancelTimer?.();
      cancelLimit?.();
      stopListening();
      signal.removeEventListener('abort', abort);
      settle();
    };
    const succeed = (): void => finish(resolve);
    const fail = (error: Error): void => finish(() => reject(error));
    const abort = (): void => fail(signal.reason as Error); // whoever aborts gives one of our errors
    const inTime = (ms: number, run: () => void): void => {
      cancelTimer?.();
      cancelTimer = clock.after(ms, run);
    };
    const wait = (): void => {
      isUnderWay = true;
      cancelTimer?.();
      cancelLimit?.();
      cancelTimer = cancelLimit = null;
    };
    /** The news of an aborted navigation can come after the start of the one that took its place. */
    const failUnlessLoading = (error: string): void => {
      if (deps.isLoading(tabId)) inTime(ABORTED_MS, () => failUnlessLoading(error));
      else fail(pageError(error));
    };

    const stopListening = events.listen(tabId, (event) => {
      switch (event.kind) {
        case 'started':
        case 'committed':
          wait();
          break;
        case 'parsed':
          cancelLimit ??= clock.after(PARSED_IS_ENOUGH_MS, succeed);
          break;
        case 'loaded':
          isUnderWay = false;
          inTime(STABLE_MS, succeed);
          break;
        case 'blank':
          inTime(STAYS_BLANK_MS, succeed);
          break;
        case 'moved':
          if (!isUnderWay && cancelTimer === null) inTime(STABLE_MS, succeed);
          break;
        case 'failed':
          if (event.error === ABORTED) inTime(ABORTED_MS, () => failUnlessLoading(event.error));
          else fail(pageError(event.error));
          break;
        case 'closed':
          fail(new ForgeError('tab_closed', 'The tab was closed while its page was loading.'));
      }
    });
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener('abort', abort, { once: true });
    start().then((state) => {
      if (state === 'loaded') inTime(STABLE_MS, succeed);
      else if (state === 'blank' && !isUnderWay) cancelTimer ??= clock.after(STAYS_BLANK_MS, succeed);
      else if (state === 'parsed') cancelLimit ??= clock.after(PARSED_IS_ENOUGH_MS, succeed);
    }, fail);
  });
}

function pageError(error: string): ForgeError {
  return new ForgeError('page_error', `The page could not be loaded: ${error}.`);
}
