interface WithProcess {
  process?: { env?: Readonly<Record<string, string | undefined>> };
}

/**
 * What a person types to run Forge: an installed package has put `forge` on the path, a clone has not. The launcher says so in the environment,
 * which threads and child processes inherit; a browser has none.
 */
export const FORGE: string = (globalThis as WithProcess).process?.env?.['FORGE_COMMAND'] ?? 'forge'; // a browser has no process
