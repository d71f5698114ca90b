import type { ForgeEvent, HELLO_EVENT, RESET_EVENT } from '../events.ts';
import { isAbort, type Api } from './api.ts';

interface Listener {
  onEvent: (event: ForgeEvent) => void;
  /**
   * Something may have been missed: what is shown has to be read again. Told when the line is open, the first time too, since what
   * was read before may be older than the line; and when it cannot be opened again, so that a view can say so.
   */
  onGap: () => void;
}

const AGAIN_MS = 2000;
/** Written again, as the table of events brings a checker along that a page has no use for. */
const [HELLO, RESET]: [typeof HELLO_EVENT, typeof RESET_EVENT] = ['hello', 'reset'];

/** The line of each Api: the views of a page share one, since a browser has few connections to one server. */
const lines = new WeakMap<Pick<Api, 'stream'>, Line>();

interface Line {
  listeners: Set<Listener>;
  isOpen: boolean;
  end: () => void;
}

/** Listens to what happens until the returned function is called; a broken line is taken up again. */
export function followEvents(api: Pick<Api, 'stream'>, listener: Listener, againMs = AGAIN_MS): () => void {
  // A listener of its own, so that the same one can be given twice.
  const own: Listener = { ...listener };
  const line = lines.get(api);
  if (line === undefined) openLine(api, own, againMs);
  else {
    line.listeners.add(own);
    // What it has read may be older than now.
    if (line.isOpen) own.onGap();
  }
  return () => {
    const followed = lines.get(api);
    followed?.listeners.delete(own);
    if (followed?.listeners.size !== 0) return;
    lines.delete(api);
    followed.end();
  };
}

function openLine(api: Pick<Api, 'stream'>, first: Listener, againMs: number): void {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const line: Line = {
    listeners: new Set([first]),
    isOpen: false,
    end: () => {
      clearTimeout(timer);
      controller.abort(new DOMException('no longer wanted', 'AbortError'));
    },
  };
  lines.set(api, line);
  const tell = (say: (listener: Listener) => void): void => [...line.listeners].forEach(say);
  const gap = (): void => tell(({ onGap }) => onGap());
  const listen = async (): Promise<void> => {
    const heard = { any: false };
    try {
      await api.stream('/api/events', undefined, {
        signal,
        onEvent: (type, data) => {
          if (signal.aborted) return;
          heard.any = true;
          const isFirst = !line.isOpen;
          line.isOpen = true;
          if (isFirst || type === RESET) gap();
          // The server's own events, checked by its tests.
          if (type !== HELLO && type !== RESET) tell(({ onEvent }) => onEvent(data as ForgeEvent));
        },
      });
    } catch (failure) {
      if (isAbort(failure)) return;
    }
    if (signal.aborted) return;
    line.isOpen = false;
    if (!heard.any) gap();
    timer = setTimeout(() => void listen(), againMs);
  };
  void listen();
}

/** Runs something once for many reasons to do so that come at about the same time. */
export function soon(run: () => void, ms = 150): { ask: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    ask: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        run();
      }, ms);
    },
    stop: () => clearTimeout(timer),
  };
}
