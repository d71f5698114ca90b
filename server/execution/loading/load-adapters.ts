import { ForgeError } from '../../../shared/errors.ts';
import type { AdapterConfig, ExecutionAdapter } from '../adapter.ts';
import { isRuntimeProvider, RUNTIME_PROVIDERS } from '../runtime-providers.ts';
import { ADAPTERS, type AdapterDeps } from './registry.ts';

/** An adapter that is there, or why it is not. */
export type Loaded = { provider: string; adapter: ExecutionAdapter } | { provider: string; problem: string };

/** Names in the environment that mean nothing are told at the start, not when the first task comes. */
export function checkAdapterNames(names: readonly string[]): void {
  for (const name of names) {
    if (!isRuntimeProvider(name))
      throw new ForgeError(
        'invalid_config',
        `BRIDGE_ADAPTERS or GATEWAY_PROVIDER names ${JSON.stringify(name.slice(0, 60))}; it must be one of ${RUNTIME_PROVIDERS.join(', ')}`,
      );
    if (ADAPTERS[name] === undefined)
      throw new ForgeError('invalid_config', `this Forge has no adapter for ${name}; leave it out of BRIDGE_ADAPTERS`);
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
  if (make === undefined) throw new ForgeError('runtime_not_found', `there is no adapter for ${provider}`);
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
        const problem = error instanceof Error ? error.message : String(error);
        deps.log.error(`the adapter ${provider} could not be loaded: ${problem}`);
        return { provider, problem };
      }
    }),
  );
  return loaded.map((entry, index) =>
    loaded.findIndex(({ provider }) => provider === entry.provider) === index
      ? entry
      : { provider: `${entry.provider} (${index + 1})`, problem: `another adapter is called ${entry.provider}, too` },
  );
}
