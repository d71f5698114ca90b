import type { LanguageModel } from 'ai';
import type { ModelProviderId } from '../../config.ts';
import type { Fetch } from '../models/guarded-fetch.ts';
import type { ModelChoice } from '../models/model-settings.ts';

type Make = (choice: ModelChoice, fetch: Fetch) => Promise<LanguageModel>;

/** Some servers on one's own computer want no key, but their clients insist on sending one. */
const NO_KEY = 'none';

const LANGUAGE_MODELS: Record<ModelProviderId, Make> = {
  anthropic: async ({ apiKey, baseUrl: baseURL, model }, fetch) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ apiKey: apiKey?.reveal() ?? NO_KEY, baseURL, fetch })(model);
  },
  openai: async ({ apiKey, baseUrl: baseURL, model, isOwnServer }, fetch) => {
    const { createOpenAI } = await import('@ai-sdk/openai');
    const openai = createOpenAI({ apiKey: apiKey?.reveal() ?? NO_KEY, baseURL, fetch });
    // Servers that stand in for OpenAI's know its older API, if not always the newer one.
    return isOwnServer ? openai.chat(model) : openai.responses(model);
  },
  google: async ({ apiKey, baseUrl: baseURL, model }, fetch) => {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    return createGoogleGenerativeAI({ apiKey: apiKey?.reveal() ?? NO_KEY, baseURL, fetch })(model);
  },
  'openai-compatible': async ({ apiKey, baseUrl: baseURL, model }, fetch) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const key = apiKey === null ? {} : { apiKey: apiKey.reveal() };
    return createOpenAICompatible({ name: 'openai-compatible', baseURL, fetch, includeUsage: true, ...key })(model);
  },
};

/** The model behind a choice. The packages are loaded when they are needed, one provider at a time. */
export function languageModel(choice: ModelChoice, fetch: Fetch): Promise<LanguageModel> {
  return LANGUAGE_MODELS[choice.provider](choice, fetch);
}

/** So many are kept; more than one is in use only while somebody tries out several. */
const MAX_KEPT = 8;

/** The models that were asked last. Each writes the checks of its answers anew, which takes longer than the checks do. */
export function createLanguageModels(fetch: Fetch): (choice: ModelChoice) => Promise<LanguageModel> {
  const kept: { choice: ModelChoice; model: LanguageModel }[] = [];
  return async (choice) => {
    const known = kept.find((entry) => isSame(entry.choice, choice));
    if (known !== undefined) return known.model;
    const model = await languageModel(choice, fetch);
    kept.unshift({ choice, model });
    kept.splice(MAX_KEPT);
    return model;
  };
}

function isSame(one: ModelChoice, other: ModelChoice): boolean {
  return (
    one.provider === other.provider &&
    one.model === other.model &&
    one.baseUrl === other.baseUrl &&
    one.isOwnServer === other.isOwnServer &&
    one.apiKey?.reveal() === other.apiKey?.reveal()
  );
}
