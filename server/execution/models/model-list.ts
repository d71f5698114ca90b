import { ForgeError, isForgeError } from '../../../shared/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import type { ModelProviderId } from '../../config.ts';
import type { Fetch } from './guarded-fetch.ts';
import type { ModelConnection } from './model-settings.ts';

const TIMEOUT_MS = 15_000;
const MAX_MODELS = 2000;

interface Listing {
  path: string;
  headers: (key: string | null) => Record<string, string>;
}

const bearer = (key: string | null): Record<string, string> => (key === null ? {} : { Authorization: `Bearer ${key}` });

const LISTINGS: Record<ModelProviderId, Listing> = {
  anthropic: {
    path: '/models?limit=1000',
    headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key === null ? {} : { 'x-api-key': key }) }),
  },
  openai: { path: '/models', headers: bearer },
  google: { path: '/models?pageSize=1000', headers: (key) => (key === null ? {} : { 'x-goog-api-key': key }) },
  'openai-compatible': { path: '/models', headers: bearer },
};

/** The models a provider offers, in its own order. */
export async function listModels(connection: ModelConnection, fetch: Fetch, signal: AbortSignal): Promise<string[]> {
  const { path, headers } = LISTINGS[connection.provider];
  const response = await answerOf(fetch, `${connection.baseUrl}${path}`, {
    headers: headers(connection.apiKey?.reveal() ?? null),
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  if (response.status === 401 || response.status === 403)
    throw new ForgeError('model_auth_failed', `the provider refused the key (${response.status})`);
  if (response.status === 429)
    throw new ForgeError('model_rate_limited', 'the provider answers too many requests (429)');
  if (!response.ok)
    throw new ForgeError('model_failed', `the provider answered ${response.status} when asked for its models`);
  try {
    return modelIds(await response.json());
  } catch (cause) {
    throw new ForgeError('model_failed', 'the provider’s list of models cannot be read', { cause });
  }
}

/** OpenAI, Anthropic and what is like them call it `data` and `id`; Google `models` and `name`, and tells what each can do. */
export function modelIds(body: unknown): string[] {
  if (!isRecord(body)) return [];
  const list: unknown[] = [body['data'], body['models']].find((value) => Array.isArray(value)) ?? [];
  const ids = list.flatMap((entry) => {
    if (!isRecord(entry) || !canGenerate(entry)) return [];
    const id = entry['id'] ?? entry['name'];
    return typeof id === 'string' ? [id.replace(/^models\//, '')] : [];
  });
  return ids.slice(0, MAX_MODELS);
}

function canGenerate({ supportedGenerationMethods: methods }: Record<string, unknown>): boolean {
  return !Array.isArray(methods) || methods.includes('generateContent');
}

async function answerOf(fetch: Fetch, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (isForgeError(error)) throw error;
    const isSlow = error instanceof Error && error.name === 'TimeoutError';
    const why = isSlow ? 'did not answer in time' : 'cannot be reached';
    throw new ForgeError('model_unavailable', `${new URL(url).host} ${why}`, { cause: error });
  }
}
