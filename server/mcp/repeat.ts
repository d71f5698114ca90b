import type { Clock } from '../bridge/clock.ts';

/** First after this long, then every so often, until it is told to stop. */
export function repeat(clock: Clock, firstMs: number, everyMs: number, work: () => void): () => void {
  let cancel = clock.after(firstMs, function again() {
    cancel = clock.after(everyMs, again);
    work();
  });
  return () => cancel();
}
