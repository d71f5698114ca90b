import { onTestFinished, vi } from 'vitest';

/** Until the test is over, whoever wants to wait this long goes on at once. Answers how often that was wanted. */
export function skipWaits(ms: number): () => number {
  const real = globalThis.setTimeout;
  let count = 0;
  const skipping = (run: () => void, wanted?: number): NodeJS.Timeout => {
    if (wanted === ms) count += 1;
    return real(run, wanted === ms ? 0 : wanted);
  };
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(skipping);
  onTestFinished(() => spy.mockRestore());
  return () => count;
}
