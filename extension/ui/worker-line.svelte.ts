import { openLine, type Line } from '../platform/ports.ts';
import type { FromPage, WorkerState } from '../worker/popup-messages.ts';

/** The worker's state as a page sees it, kept current; a worker that dies is woken and asked again. */
export function followWorker(): { readonly state: WorkerState | null; send(message: FromPage): void } {
  let state = $state<WorkerState | null>(null);
  let line: Line<FromPage, WorkerState>;
  const open = (): void => {
    line = openLine('page');
    line.onMessage((next) => (state = next));
    line.onClosed(() => setTimeout(open, 100));
  };
  open();
  return {
    get state() {
      return state;
    },
    send: (message) => line.send(message),
  };
}
