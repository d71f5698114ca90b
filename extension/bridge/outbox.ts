import type { Clock } from '../clock.ts';

/** The server waits about this long for a browser to come back with the result of a call it already made. */
const KEEP_MS = 10_000;
const MAX_KEPT = 256;

/** Answers that could not be sent because the socket was cut while a script ran. */
export function createOutbox(clock: Pick<Clock, 'now'>) {
  let kept: { frame: string; until: number }[] = [];
  return {
    keep(frame: string): void {
      kept.push({ frame, until: clock.now() + KEEP_MS });
      if (kept.length > MAX_KEPT) kept.shift();
    },
    /** Everything that is still worth sending, in order; the outbox is empty afterwards. */
    take(): string[] {
      const frames = kept.filter(({ until }) => until > clock.now()).map(({ frame }) => frame);
      kept = [];
      return frames;
    },
  };
}
