import { openLine } from './ports.ts';

/** Chromium ends a worker that has heard nothing for 30 s. */
export const BEAT_MS = 20_000;

/** Runs in the keeper's page: holds a line to the worker, and takes it up again when the worker has died, which wakes it. */
export function holdWorker(): void {
  const line = openLine<'alive', never>('keeper');
  const opened = Date.now();
  const beat = setInterval(() => line.send('alive'), BEAT_MS);
  line.onClosed(() => {
    clearInterval(beat);
    // A worker that cannot start must not keep the processor busy.
    if (Date.now() - opened < 1000) setTimeout(holdWorker, 1000);
    else holdWorker();
  });
}
