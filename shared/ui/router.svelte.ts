import { createContext } from 'svelte';
import { keepScroll } from './keep-scroll.ts';
import { linkedPath } from './linked-path.ts';

/** Asked before the person leaves; false keeps them where they are. */
type LeaveCheck = () => boolean | Promise<boolean>;

export interface Router {
  /** Where the person is, without query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** What an <a> needs to lead to a path. */
  href(path: string): string;
  /** `isStaying` leaves the page scrolled where it is: what opens stands beside what is there. */
  go(path: string, options?: { replace?: boolean; isStaying?: boolean }): Promise<void>;
  /** Changes the query of the current address without a new history entry. */
  setQuery(query: Record<string, string>): void;
  /** A form with unsaved changes registers itself here; the answer takes it back. */
  beforeLeave(check: LeaveCheck): () => void;
}

export const [getRouter, setRouter] = createContext<Router>();

/**
 * A router over the History API. On Forge's page an address is the path itself; in the extension, whose pages are files, it stands behind
 * the `#`.
 */
export function createRouter(mode: 'path' | 'hash', home: string): Router {
  const read = (): URL => {
    const text = mode === 'path' ? location.pathname + location.search : location.hash.slice(1);
    return new URL(text.startsWith('/') && text !== '/' ? text : home, 'http://forge');
  };
  const href = (path: string): string => (mode === 'path' ? path : `#${path}`);
  const scroll = keepScroll();
  const checks = new Set<LeaveCheck>();
  let index = indexOf(history.state) ?? 0;
  let isReturning = false;
  let url = $state.raw(read());

  const mayLeave = async (): Promise<boolean> => {
    for (const check of checks) if (!(await check())) return false;
    return true;
  };
  const arrive = (y: number): void => {
    url = read();
    scroll.restore(y);
  };
  const go: Router['go'] = async (path, { replace = false, isStaying = false } = {}) => {
    if (!(await mayLeave())) return;
    scroll.save(index);
    if (!replace) index += 1;
    history[replace ? 'replaceState' : 'pushState']({ index }, '', href(path));
    arrive(isStaying ? window.scrollY : 0);
  };
  const onPopState = (event: PopStateEvent): void => {
    const next = indexOf(event.state) ?? index + 1;
    const steps = next - index;
    if (isReturning || checks.size === 0 || steps === 0) {
      isReturning = false;
      scroll.save(index);
      index = next;
      arrive(scroll.saved(next));
      return;
    }
    // The browser has left already: back first, then ask, then leave for good.
    isReturning = true;
    history.go(-steps);
    void afterPopState().then(async () => {
      if (!(await mayLeave())) return;
      isReturning = true;
      history.go(steps);
    });
  };
  const onClick = (event: MouseEvent): void => {
    const path = linkedPath(event, mode);
    if (path === null) return;
    event.preventDefault();
    void go(path);
  };
  const onUnload = (event: BeforeUnloadEvent): void => {
    scroll.save(index);
    if (checks.size > 0) event.preventDefault();
  };

  history.scrollRestoration = 'manual';
  history.replaceState({ index }, '');
  scroll.restore(scroll.saved(index));
  window.addEventListener('popstate', onPopState);
  window.addEventListener('beforeunload', onUnload);
  document.addEventListener('click', onClick);
  return {
    get path() {
      return url.pathname;
    },
    get query() {
      return url.searchParams;
    },
    href,
    go,
    setQuery(query) {
      const text = new URLSearchParams(query).toString();
      history.replaceState({ index }, '', href(url.pathname + (text === '' ? '' : `?${text}`)));
      url = read();
    },
    beforeLeave(check) {
      checks.add(check);
      return () => checks.delete(check);
    },
  };
}

function afterPopState(): Promise<void> {
  return new Promise((resolve) => window.addEventListener('popstate', () => resolve(), { once: true }));
}

function indexOf(state: unknown): number | null {
  const isOurs = typeof state === 'object' && state !== null && 'index' in state;
  return isOurs && typeof state.index === 'number' ? state.index : null;
}
