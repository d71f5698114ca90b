import { createMasker, type Masker } from '../../secrets/masker.ts';
import { SecretSet } from '../../secrets/secret-set.ts';
import type { Fetch } from './guarded-fetch.ts';
import { findLocalServers, type LocalServer } from './local-servers.ts';
import { listModels } from './model-list.ts';
import type { ModelSettings } from './model-settings.ts';
import type { ModelPrices } from './prices.ts';
import { testModel, type ModelTest } from './test-model.ts';

interface DirectoryDeps {
  models: ModelSettings;
  fetch: Fetch;
  masker: Pick<Masker, 'redact'>;
  prices: Pick<ModelPrices, 'learn'>;
}

/** What a person tries out before it is saved. */
export interface ModelTrial {
  provider: string;
  model?: string | undefined;
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
}

/** Which models there are, and whether they answer. */
export function createModelDirectory({ models, fetch, masker, prices }: DirectoryDeps) {
  return {
    list: async (provider: string, signal: AbortSignal): Promise<string[]> => {
      const listed = await listModels(models.connection(provider), fetch, signal);
      prices.learn(provider, listed.prices);
      return listed.ids;
    },
    /** Servers on this computer that could be used at once. */
    local: (): Promise<LocalServer[]> => findLocalServers(fetch),
    test: async ({ provider, model, ...trial }: ModelTrial, signal: AbortSignal): Promise<ModelTest> => {
      const connection = models.connection(provider, trial);
      const named = model ?? models.view().providers.find(({ id }) => id === connection.provider)?.model ?? null;
      const chosen = named ?? (await listModels(connection, fetch, signal)).ids[0] ?? '';
      const outcome = await testModel({ ...connection, model: chosen }, fetch, signal);
      // Providers like to repeat the key they refuse.
      const tried = new SecretSet();
      tried.add(connection.apiKey?.reveal() ?? '');
      return { ...outcome, message: masker.redact(createMasker([tried]).redact(outcome.message)) };
    },
  };
}
