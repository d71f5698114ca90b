const MAX_KNOWN = 500;

export type QuickScripts = ReturnType<typeof createQuickScripts>;

/**
 * The scripts that came back without waiting for anything the last time. They need not be kept apart in a tab. One that waits for
 * once, because its arguments lead it to, loses its name for being quick.
 */
export function createQuickScripts() {
  const known = new Set<string>();
  return {
    isQuick: (script: string): boolean => known.has(script),
    learn(script: string, isQuick: boolean): void {
      if (!isQuick) {
        known.delete(script);
      } else if (!known.has(script)) {
        if (known.size >= MAX_KNOWN) known.clear();
        known.add(script);
      }
    },
  };
}
