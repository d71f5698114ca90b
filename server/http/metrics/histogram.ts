import { writeNumber, type Sample } from './exposition.ts';

/** How many values were at most as large as each of some bounds, given in rising order. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** Values per bucket, each counted once; the last bucket has no bound. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = [...bounds, Infinity];
    this.#counts = this.#bounds.map(() => 0);
  }

  /** Stands in the way of every request, and so makes nothing. */
  observe(value: number): void {
    let bucket = 0;
    while (value > (this.#bounds[bucket] ?? Infinity)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  /** Each bucket with what the ones before it hold, then the sum and the number of all values. */
  samples(labels: Sample['labels']): Sample[] {
    let count = 0;
    const buckets = this.#bounds.map((bound, at): Sample => {
      count += this.#counts[at] ?? 0;
      return { suffix: '_bucket', labels: { ...labels, le: writeNumber(bound) }, value: count };
    });
    return [...buckets, { suffix: '_sum', labels, value: this.#sum }, { suffix: '_count', labels, value: count }];
  }
}
