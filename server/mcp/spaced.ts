import type { Clock } from '../bridge/clock.ts';

interface SpacedOptions<T> {
  clock: Clock;
  gapMs: number;
  /** Puts together what is held back and what has come since. */
  join: (held: T, next: T) => T;
  send: (value: T) => void;
}

/** Sends at most one value in a gap. What comes too early waits until the gap is over, or until the end. */
export function spaced<T>({ clock, gapMs, join, send }: SpacedOptions<T>): {
  push: (value: T) => void;
  end: () => void;
} {
  let sentAt = -Infinity;
  let held: { value: T } | null = null;
  let cancel: () => void = () => undefined;
  const sendNow = (value: T): void => {
    sentAt = clock.now();
    send(value);
  };
  const flush = (): void => {
    if (held === null) return;
    const { value } = held;
    held = null;
    sendNow(value);
  };
  return {
    push: (value) => {
      const waitMs = sentAt + gapMs - clock.now();
      if (held !== null) held = { value: join(held.value, value) };
      else if (waitMs <= 0) sendNow(value);
      else {
        held = { value };
        // A clock that was set back must not hold it for longer.
        cancel = clock.after(Math.min(waitMs, gapMs), flush);
      }
    },
    end: () => {
      cancel();
      flush();
    },
  };
}
