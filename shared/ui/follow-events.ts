import type { ForgeEvent, RESET_EVENT } from '../events.ts';
import { isAbort, type Api } from './api.ts';

interface Listener {
  onEvent: (event: ForgeEvent) => void;
  /** Something may have been missed: what is shown has to be read again. */
  onGap: () => void;
}

const AGAIN_MS = 2000;
/** Written again, as the table of events brings a checker along that a page has no use for. */
const RESET: typeof RESET_EVENT = 'reset';

/** Listens to what happens until the returned function is called; a broken line is taken up again. */
export function followEvents(api: Pick<Api, 'stream'>, { onEvent, onGap }: Listener, againMs = AGAIN_MS): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listen = async (): Promise<void> => {
    try {
      await api.stream('/api/events', undefined, {
        signal,
        onEvent: (type, data) => {
          if (signal.aborted) return;
          if (type === RESET) onGap();
          else onEvent(data as ForgeEvent); // the server's own events, checked by its tests
        },
      });
    } catch (failure) {
      if (isAbort(failure)) return;
    }
    if (signal.aborted) return;
    timer = setTimeout(() => {
      onGap();
      void listen();
    }, againMs);
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
