const FIRST_MS = 250;
const LONGEST_MS = 15_000;
const JITTER = 0.25;

/** How long to wait before each further try: doubling, and never in step with other browsers that lost the same server. */
export function createBackoff(random: () => number = Math.random) {
  let tries = 0;
  return {
    next(): number {
      const base = Math.min(FIRST_MS * 2 ** tries, LONGEST_MS);
      tries += 1;
      return Math.round(base * (1 - JITTER + 2 * JITTER * random()));
    },
    reset(): void {
      tries = 0;
    },
  };
}
