/** For whoever opens the worker's console: what went wrong without anybody waiting for it. */
export function logProblem(what: string, error: unknown): void {
  // oxlint-disable-next-line no-console -- the console is the only log an extension has
  console.warn(`Forge: ${what}`, error);
}
