import { onDestroy } from 'svelte';
import { openLine, type Line } from '../platform/ports.ts';
import type { FromPage, WorkerState } from '../worker/popup-messages.ts';

/** The worker's state as a view sees it, kept current until the view goes away; a worker that dies is woken and asked again. */
export function followWorker(): { readonly state: WorkerState | null; send(message: FromPage): void } {
  let state = $state<WorkerState | null>(null);
  let line: Line<FromPage, WorkerState>;
  let again: ReturnType<typeof setTimeout> | undefined;
  const open = (): void => {
    line = openLine('page');
    line.onMessage((next) => (state = next));
    line.onClosed(() => (again = setTimeout(open, 100)));
  };
  open();
  onDestroy(() => {
    clearTimeout(again);
    // Closing it from this side is not told to this side, so nothing opens it again.
    line.close();
  });
  return {
    get state() {
      return state;
    },
    send: (message) => line.send(message),
  };
}
