/** Numbers of one series, sorted once. */
export interface Series {
  median: number;
  p95: number;
  count: number;
}

export function seriesOf(values: readonly number[]): Series {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { median: at(0.5), p95: at(0.95), count: sorted.length };
}

/** `1.12×` of one series to another, for medians and the slow end. */
export function ratio(ours: Series, floor: Series): { median: number; p95: number } {
  return { median: ours.median / floor.median, p95: ours.p95 / floor.p95 };
}

/** Targets take turns in an order that changes every round, so that whatever else the machine does hits all of them. */
export function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

export const ms = (value: number) => `${value.toFixed(2)} ms`;
export const times = (value: number) => `${value.toFixed(2)}×`;
