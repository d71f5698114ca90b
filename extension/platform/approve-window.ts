import type { ApprovalWindow } from '../approvals/desk.ts';
import type { Answer, ApprovalRequest, FromApproveWindow, ToApproveWindow } from '../approvals/request.ts';
import { browser, pageUrl } from './browser.ts';
import { onLine, type Line } from './ports.ts';

type ApproveLine = Line<ToApproveWindow, FromApproveWindow>;

const SIZE = { width: 480, height: 560 };
const NO: Answer = { approved: false };

/** Opens windows of our own for questions. A window that never shows up, or goes away, has said no. */
export function listenToApproveWindows(): (request: ApprovalRequest) => ApprovalWindow {
  const waiting = new Map<string, (line: ApproveLine) => void>();
  onLine<ToApproveWindow, FromApproveWindow>('approve', (line, query) => {
    const take = waiting.get(query.get('id') ?? '');
    if (take === undefined) line.send({ kind: 'over' });
    else take(line);
  });

  // A window can be closed before its page has said a word.
  const closing = new Map<number, () => void>();
  browser.windows.onRemoved.addListener((id) => closing.get(id)?.());

  return (request) => {
    let windowId: number | undefined;
    let line: ApproveLine | null = null;
    const answer = new Promise<Answer>((resolve) => {
      waiting.set(request.id, (opened) => {
        line = opened;
        opened.send({ kind: 'request', request });
        opened.onMessage(({ id, answer: said }) => {
          if (id === request.id) resolve(said);
        });
        opened.onClosed(() => resolve(NO));
      });
      const url = pageUrl(`approve.html?id=${request.id}`);
      const watch = async (): Promise<void> => {
        const { id } = await browser.windows.create({ url, type: 'popup', focused: true, ...SIZE });
        if (id === undefined) return;
        windowId = id;
        closing.set(id, () => resolve(NO));
        // It may be gone already, before anybody listened.
        await browser.windows.get(id);
      };
      watch().catch(() => resolve(NO));
    });
    return {
      answer,
      focus() {
        // A window that is gone has been answered by that.
        if (windowId !== undefined) browser.windows.update(windowId, { focused: true }).catch(() => undefined);
      },
      close() {
        waiting.delete(request.id);
        if (windowId !== undefined) closing.delete(windowId);
        line?.send({ kind: 'over' });
        // It closes itself; this is for a page that hangs, and a window that is gone already is fine.
        if (windowId !== undefined) browser.windows.remove(windowId).catch(() => undefined);
      },
    };
  };
}
