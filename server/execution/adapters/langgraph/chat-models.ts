import { ForgeError } from '../../../../shared/errors.ts';
import { isRecord } from '../../../../shared/json.ts';
import type { ModelProviderId } from '../../../config.ts';
import type { Fetch } from '../../models/guarded-fetch.ts';
import type { ModelChoice } from '../../models/model-settings.ts';
import { requireModule, type LoadModule } from '../../optional-module.ts';

interface ChatModel {
  package: string;
  export: string;
  settings: (choice: ModelChoice, key: string, fetch: Fetch) => Record<string, unknown>;
}

const openAi: ChatModel = {
  package: '@langchain/openai',
  export: 'ChatOpenAI',
  settings: ({ model, baseUrl }, apiKey, fetch) => ({
    ...{ model, apiKey, streaming: true, streamUsage: true },
    configuration: { baseURL: baseUrl, fetch },
  }),
};

/** LangChain's packages for the providers of models; each is installed by whoever wants it. */
const CHAT_MODELS: Record<ModelProviderId, ChatModel> = {
  anthropic: {
    package: '@langchain/anthropic',
    export: 'ChatAnthropic',
    // Its client adds the version to the address by itself.
    settings: ({ model, baseUrl }, apiKey, fetch) => ({
      ...{ model, apiKey, streaming: true, anthropicApiUrl: baseUrl.replace(/\/v1$/, '') },
      clientOptions: { fetch },
    }),
  },
  openai: openAi,
  'openai-compatible': openAi,
  google: {
    package: '@langchain/google',
    export: 'ChatGoogle',
    settings: ({ model, baseUrl }, apiKey, fetch) => {
      const [, endpoint = baseUrl, apiVersion = 'v1beta'] = /^(.*)\/([^/]+)$/.exec(baseUrl) ?? [];
      return { model, endpoint, apiVersion, platformType: 'gai', streaming: true, apiClient: apiClient(apiKey, fetch) };
    },
  },
};

/** How LangChain's package for Google asks: it hands over whole requests. */
function apiClient(apiKey: string, fetch: Fetch) {
  return {
    hasApiKey: () => true,
    getProjectId: () => Promise.resolve(''),
    fetch: async (request: Request): Promise<Response> => {
      const { url, method, signal } = request;
      const headers = { ...Object.fromEntries(request.headers), 'x-goog-api-key': apiKey };
      return fetch(url, { method, headers, signal, body: await request.text() });
    },
  };
}

/** The model behind a choice, made by LangChain's own package. */
export async function chatModel(choice: ModelChoice, load: LoadModule, fetch: Fetch): Promise<unknown> {
  const { package: name, export: exported, settings } = CHAT_MODELS[choice.provider];
  const module = await requireModule(load, name);
  const Model: unknown = isRecord(module) ? module[exported] : undefined;
  if (typeof Model !== 'function') throw new ForgeError('runtime_failed', `${name} has no ${exported}`);
  // Checked just above; what it makes is handed to LangGraph as it is.
  return new (Model as new (settings: unknown) => unknown)(settings(choice, choice.apiKey?.reveal() ?? 'none', fetch));
}
