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

/** Listens to what happens until the returned function is called; a broken line is taken up again. */
export function followEvents(api: Pick<Api, 'stream'>, { onEvent, onGap }: Listener, againMs = AGAIN_MS): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listen = async (): Promise<void> => {
    const line = { isOpen: false };
    try {
      await api.stream('/api/events', undefined, {
        signal,
        onEvent: (type, data) => {
          if (signal.aborted) return;
          if (!line.isOpen || type === RESET) onGap();
          line.isOpen = true;
          if (type !== HELLO && type !== RESET) onEvent(data as ForgeEvent); // the server's own events, checked by its tests
        },
      });
    } catch (failure) {
      if (isAbort(failure)) return;
    }
    if (signal.aborted) return;
    if (!line.isOpen) onGap();
    timer = setTimeout(() => void listen(), againMs);
  };
  void listen();
  return () => {
    clearTimeout(timer);
    controller.abort(new DOMException('no longer wanted', 'AbortError'));
  };
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
