import type { Clock } from '../clock.ts';

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Moves the time on and runs what falls due on the way, in order; promises settle in between. */
  advance: (ms: number) => Promise<void>;
  /** How many things are waiting. */
  readonly pending: number;
}

export function manualClock(start = 1_000_000): ManualClock {
  let time = start;
  let timers: { at: number; run: () => void }[] = [];
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  return {
    now: () => time,
    after(ms, run) {
      const timer = { at: time + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    async advance(ms) {
      const until = time + ms;
      await settle();
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers = timers.filter((other) => other !== next);
        time = Math.max(time, next.at);
        next.run();
        await settle();
      }
      time = until;
    },
    get pending() {
      return timers.length;
    },
  };
}
