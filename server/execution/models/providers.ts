import type { ModelProviderId } from '../../config.ts';

/** Where a provider's models are, and how they are asked for. */
export interface ModelProvider {
  id: ModelProviderId;
  name: string;
  /** Null where a person has to say where it is. */
  defaultBaseUrl: string | null;
  /** What comes after the host when a base URL is given without a path. */
  apiPath: string;
  /** Null where every server has models of its own. */
  defaultModel: string | null;
  /** How bare names of its models begin. */
  modelNames: RegExp | null;
}

/** In the order in which they are tried when nobody says which one to use. */
export const MODEL_PROVIDERS: readonly ModelProvider[] = [
  {
    id: 'anthropic',
    name: 'Anthropic',
    defaultBaseUrl: 'https://api.anthropic.com/v1',
    apiPath: '/v1',
    defaultModel: 'claude-sonnet-5-5',
    modelNames: /^claude/,
  },
  {
    id: 'openai',
    name: 'OpenAI',
    defaultBaseUrl: 'https://api.openai.com/v1',
    apiPath: '/v1',
    defaultModel: 'gpt-5.5',
    modelNames: /^(gpt-|o\d|chatgpt-)/,
  },
  {
    id: 'google',
    name: 'Google',
    defaultBaseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    apiPath: '/v1beta',
    defaultModel: 'gemini-flash-latest',
    modelNames: /^gemini/,
  },
  {
    id: 'openai-compatible',
    name: 'OpenAI-compatible',
    defaultBaseUrl: null,
    apiPath: '/v1',
    defaultModel: null,
    modelNames: null,
  },
];

export function modelProvider(id: string): ModelProvider | undefined {
  return MODEL_PROVIDERS.find((provider) => provider.id === id);
}
