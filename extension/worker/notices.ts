import type { Notice as BridgeNotice } from '../../shared/bridge.ts';
import type { ForgeError } from '../../shared/errors.ts';
import type { Notice } from './popup-messages.ts';
import { parseUrl } from '../../shared/parse-url.ts';

const MAX_NOTICES = 5;

/** What opening a notice asks of the browser. */
interface NoticeDoor {
  /** On the person's desktop, in place of an earlier one of the same id. */
  show: (notice: Pick<Notice, 'id' | 'title' | 'message'>) => void;
  hide: (id: string) => void;
  /** False when the tab is gone. */
  focusTab: (tabId: number) => Promise<boolean>;
  openPage: (url: string) => void;
}

interface NoticesDeps {
  door: NoticeDoor;
  /** Forge's, as `http://host:port`: nothing else is opened. */
  origin: () => string;
  newId: () => string;
  onChange: () => void;
}

/** What the person should know: shown on their desktop, and in the popup until they have seen it. */
export function createNotices({ door, origin, newId, onChange }: NoticesDeps) {
  let list: Notice[] = [];
  const questions = new Set<string>();
  const add = (notice: Notice): void => {
    list = [notice, ...list.filter(({ id }) => id !== notice.id)].slice(0, MAX_NOTICES);
    door.show(notice);
    onChange();
  };
  const remove = (id: string): void => {
    questions.delete(id);
    list = list.filter((notice) => notice.id !== id);
    door.hide(id);
    onChange();
  };
  return {
    /** From the server. */
    add: ({ title, message, url, is_question: isQuestion = false }: BridgeNotice): void => {
      const id = newId();
      if (isQuestion) questions.add(id);
      add({ id, title, message, url, tabId: null });
    },
    /** Nothing waits for the person any more, whoever has answered. */
    answered(): void {
      for (const id of questions) remove(id);
    },
    /** A tool found a login page. One notice for each tab, however many calls end there. */
    needsLogin(error: ForgeError): void {
      const { tab_id: tabId, url } = (error.details ?? {}) as { tab_id?: number; url?: string };
      if (tabId === undefined || list.some((notice) => notice.tabId === tabId)) return;
      const site = parseUrl(url ?? '')?.host ?? 'a site';
      add({ id: `login-${tabId}`, title: `Log in to ${site}`, message: error.message, url: null, tabId });
    },
    /** The person wants to see what it is about. */
    async open(id: string): Promise<void> {
      const notice = list.find((one) => one.id === id);
      if (notice === undefined) return;
      remove(id);
      if (notice.tabId !== null && (await door.focusTab(notice.tabId))) return;
      if (notice.url !== null && originOf(notice.url) === origin()) door.openPage(notice.url);
    },
    /** The person has seen it. */
    remove,
    list: (): readonly Notice[] => list,
  };
}

function originOf(url: string): string | null {
  return parseUrl(url)?.origin ?? null;
}
