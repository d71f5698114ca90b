import { ForgeError, isForgeError } from '../../../shared/errors.ts';
import type { AdapterConfig, ExecutionAdapter } from '../adapter.ts';
import { isRuntimeProvider, RUNTIME_PROVIDERS } from '../runtime-providers.ts';
import { ADAPTERS, type AdapterDeps } from './registry.ts';

/** An adapter that is loaded, or why it is not. */
export type Loaded = { provider: string; adapter: ExecutionAdapter } | { provider: string; problem: ForgeError };

/** Names in the environment that mean nothing are told at the start, not when the first task comes. */
export function checkAdapterNames(names: readonly string[]): void {
  for (const name of names) {
    if (!isRuntimeProvider(name))
      throw new ForgeError(
        'invalid_config',
        `BRIDGE_ADAPTERS or GATEWAY_PROVIDER names ${JSON.stringify(name.slice(0, 60))}; it must be one of ${RUNTIME_PROVIDERS.join(', ')}`,
      );
  }
}

/** Makes one adapter and initialises it. */
export async function loadSingleAdapter(
  provider: string,
  config: AdapterConfig,
  deps: AdapterDeps,
): Promise<ExecutionAdapter> {
  checkAdapterNames([provider]);
  const make = isRuntimeProvider(provider) ? ADAPTERS[provider] : undefined;
  if (make === undefined)
    throw new ForgeError('not_supported', `${provider} is not available here: this Forge has no adapter for it`, {
      hint: `Leave ${provider} out of GATEWAY_PROVIDER and BRIDGE_ADAPTERS, or name another runtime there.`,
    });
  const adapter = await make(deps, config);
  await adapter.initialize(config);
  return adapter;
}

/** Loads all of them; one that fails is left out with the reason, and takes none of the others along. */
export async function loadAdapters(
  providers: readonly string[],
  config: AdapterConfig,
  deps: AdapterDeps,
): Promise<Loaded[]> {
  const loaded = await Promise.all(
    providers.map(async (provider): Promise<Loaded> => {
      try {
        const adapter = await loadSingleAdapter(provider, config, deps);
        return { provider: adapter.provider, adapter };
      } catch (error) {
        const problem = problemOf(error);
        deps.log.error(`the adapter ${provider} could not be loaded: ${problem.message}. ${problem.hint}`);
        return { provider, problem };
      }
    }),
  );
  return loaded.map((entry, index) =>
    loaded.findIndex(({ provider }) => provider === entry.provider) === index
      ? entry
      : {
          provider: `${entry.provider} (${index + 1})`,
          problem: new ForgeError('invalid_config', `another adapter is called ${entry.provider}, too`),
        },
  );
}

function problemOf(error: unknown): ForgeError {
  if (isForgeError(error)) return error;
  return new ForgeError('runtime_failed', error instanceof Error ? error.message : String(error), { cause: error });
}
