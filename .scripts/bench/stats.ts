/** Numbers of one series, sorted once. */
export interface Series {
  median: number;
  p95: number;
  mean: number;
  count: number;
}

export function seriesOf(values: readonly number[]): Series {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return { median: at(0.5), p95: at(0.95), mean, count: sorted.length };
}

/** `1.12×` of one series to another, for medians, the slow end, and how many calls are made in the same time. */
export function ratio(ours: Series, floor: Series): { median: number; p95: number; throughput: number } {
  return { median: ours.median / floor.median, p95: ours.p95 / floor.p95, throughput: floor.mean / ours.mean };
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
