const HOUR_MS = 60 * 60 * 1000;
const MAX_GUESSES = 100;

/**
 * How many different words that look like a secret callers may send to one connector in an hour and still read in its answers. Every
 * further one comes back masked, whether it is the secret or not, so that trying tells nothing.
 */
export class GuessBudget {
  readonly #now: () => number;
  readonly #words = new Set<string>();
  #since = -Infinity;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Those of the words that are too many; the others are counted. */
  beyond(words: ReadonlySet<string>): ReadonlySet<string> {
    const now = this.#now();
    if (now - this.#since > HOUR_MS) {
      this.#since = now;
      this.#words.clear();
    }
    const fresh = new Set([...words].filter((word) => !this.#words.has(word)));
    if (this.#words.size + fresh.size > MAX_GUESSES) return fresh;
    for (const word of fresh) this.#words.add(word);
    return NONE;
  }
}

const NONE: ReadonlySet<string> = new Set();
