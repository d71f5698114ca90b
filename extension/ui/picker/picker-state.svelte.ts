import { toApiError, type ApiError } from '../../../shared/ui/api.ts';
import type { Picked } from '../../picker/picked.ts';
import { followFrontTab, type FrontTab } from '../../platform/front-tab.ts';
import { hasPermission, onPermissionsChanged, requestPermission } from '../../platform/permissions.ts';
import { openPickerLine } from './picker-line.ts';

export interface PickedHere {
  readonly element: Picked;
  readonly frameId: number;
  /** The page it was picked on. */
  readonly url: string;
}

export type PickerState = ReturnType<typeof createPickerState>;

const LOST = 'The page took the picker away, or was left. Pick again.';

/** What the picker's part of the panel shows, and what can be done there. */
export function createPickerState() {
  const line = openPickerLine();
  let front = $state.raw<FrontTab | null>(null);
  let isKnown = $state(false);
  let isAllowed = $state(false);
  let isPicking = $state(false);
  let picked = $state.raw<PickedHere | null>(null);
  let note = $state('');
  let error = $state.raw<ApiError | null>(null);

  const site = (): string | null => (front === null ? null : new URL(front.url).origin);
  const checkSite = async (): Promise<void> => {
    const origin = site();
    const now = origin !== null && (await hasPermission(`${origin}/*`));
    if (site() === origin) isAllowed = now;
    isKnown = true;
  };
  const stop = (): void => {
    if (front !== null) line.stop(front.tabId);
  };
  followFrontTab((tab) => {
    if (isPicking && tab?.tabId !== front?.tabId) stop();
    front = tab;
    void checkSite();
  });
  onPermissionsChanged(() => void checkSite());

  /** True when an element was picked. */
  const pick = async (): Promise<boolean> => {
    if (front === null || isPicking) return false;
    const { tabId, url } = front;
    /** The page may have changed its address since. */
    const urlNow = (): string => (front?.tabId === tabId ? front.url : url);
    isPicking = true;
    error = null;
    note = '';
    try {
      const end = await line.ask('pick', { tabId });
      if (end.kind === 'picked') picked = { element: end.picked, frameId: end.frameId, url: urlNow() };
      note = end.kind === 'lost' ? LOST : '';
      return end.kind === 'picked';
    } catch (failure) {
      error = toApiError(failure);
      // A worker that died could not clear up.
      line.stop(tabId);
      return false;
    } finally {
      isPicking = false;
    }
  };
  return {
    line,
    get front() {
      return front;
    },
    /** The origin of the page in front; null where no tool could run. */
    get site() {
      return site();
    },
    /** The page and its permission have been looked at. */
    get isKnown() {
      return isKnown;
    },
    get isAllowed() {
      return isAllowed;
    },
    get isPicking() {
      return isPicking;
    },
    get picked() {
      return picked;
    },
    get note() {
      return note;
    },
    get error() {
      return error;
    },
    /** Asks for this site alone. Only while a click is handled. */
    allow: (): void => {
      const origin = site();
      if (origin !== null) void requestPermission([`${origin}/*`]);
    },
    pick,
    stop,
  };
}
