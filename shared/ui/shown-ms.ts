/** `0.4 ms`, `12 ms`, `1.2 s`: three digits say enough. */
export function shownMs(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms >= 10 ? Math.round(ms) : Math.round(ms * 10) / 10} ms`;
}
