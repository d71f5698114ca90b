/** Time as the extension sees it, so that no test waits for a deadline. */
export interface Clock {
  /** Milliseconds since 1970. */
  now: () => number;
  /** Runs something later; the returned function takes that back. */
  after: (ms: number, run: () => void) => () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
