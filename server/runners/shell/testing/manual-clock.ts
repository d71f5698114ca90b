import type { After } from '../run-process.ts';

interface ManualClock {
  after: After;
  /** Fires the timers that were set for exactly this long and are still wanted; returns how many there were. */
  fire(ms: number): number;
  /** How many timers are waiting. */
  pending(): number;
}

/** Timers that run when a test says so, so that no test waits for a timeout. */
export function manualClock(): ManualClock {
  const timers = new Set<{ ms: number; run: () => void }>();
  return {
    after: (ms, run) => {
      const timer = { ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    fire: (ms) => {
      const due = [...timers].filter((timer) => timer.ms === ms);
      for (const timer of due) {
        timers.delete(timer);
        timer.run();
      }
      return due.length;
    },
    pending: () => timers.size,
  };
}
