import { HeldFrames } from '../../shared/bridge-join.ts';
import type { Clock } from '../clock.ts';

/** Answers that come closer than this are a stream of them. */
const NEAR_MS = 5;
/** The longest that an answer waits for others. */
const HOLD_MS = 8;
/** For so many calls that still run, one answer waits to be joined by the next. */
const RUNNING_PER_ANSWER = 4;

interface AnswersDeps {
  clock: Clock;
  deliver: (frames: string[]) => void;
}

/**
 * Answers on their way out. One that comes alone goes at once. Where many calls are under way and their answers follow one another
 * closely, some go together: each message wakes the browser's processes, Forge and its client anew, which costs more than the calls.
 */
export function createAnswers({ clock, deliver }: AnswersDeps) {
  const held = new HeldFrames();
  let running = 0;
  let lastAt = 0;
  let stopTimer: (() => void) | null = null;
  const flush = (): void => {
    stopTimer?.();
    stopTimer = null;
    if (held.count > 0) deliver(held.take());
  };
  return {
    began: (): void => void (running += 1),
    /** The answer to one that has begun. */
    add(frame: string, mayWait: boolean): void {
      running -= 1;
      const now = clock.now();
      const isStream = now - lastAt <= NEAR_MS;
      lastAt = now;
      if (!held.hasRoomFor(frame)) flush();
      held.hold(frame);
      if (!mayWait || !isStream || held.count * RUNNING_PER_ANSWER >= running) flush();
      else stopTimer ??= clock.after(HOLD_MS, flush);
    },
  };
}
