import type { Clock } from '../clock.ts';

export interface ManualClock extends Clock {
  /** Lets time pass; what falls due on the way runs in order, each at its own time. */
  advance(ms: number): void;
  /** How many timers are waiting. */
  pending(): number;
  /** When the next of them is due. */
  nextAt(): number;
}

/** A clock that stands still until a test moves it. */
export function manualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  const timers = new Set<{ at: number; run: () => void }>();
  let now = start;
  return {
    now: () => now,
    after: (ms, run) => {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (ms) => {
      const end = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = next.at;
        next.run();
      }
      now = end;
    },
    pending: () => timers.size,
    nextAt: () => Math.min(...Array.from(timers, ({ at }) => at)),
  };
}
