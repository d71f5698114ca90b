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
