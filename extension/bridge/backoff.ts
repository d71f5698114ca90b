const FIRST_MS = 250;
/** A server that is started again is back within seconds, and asking whether it is costs next to nothing. */
const QUICK_TRIES = 12;
const LONGEST_MS = 15_000;
const JITTER = 0.25;

/** How long to wait before each further try: short at first, then doubling, and never in step with other browsers that lost the same server. */
export function createBackoff(random: () => number = Math.random) {
  let tries = 0;
  return {
    next(): number {
      const base = Math.min(FIRST_MS * 2 ** Math.max(0, tries - QUICK_TRIES), LONGEST_MS);
      tries += 1;
      return Math.round(base * (1 - JITTER + 2 * JITTER * random()));
    },
    reset(): void {
      tries = 0;
    },
  };
}
