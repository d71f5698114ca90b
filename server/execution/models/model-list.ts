import { ForgeError, isForgeError } from '../../../shared/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import { MAX_MODEL_PRICE } from '../../../shared/model-price.ts';
import type { ModelProviderId } from '../../config.ts';
import { isKeyRefusal } from '../ai-sdk/model-failure.ts';
import type { Fetch } from './guarded-fetch.ts';
import type { ModelConnection } from './model-settings.ts';
import type { ModelPrice } from './prices.ts';

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

export interface ListedModels {
  /** In the provider's own order. */
  ids: string[];
  /** Of those whose price it tells. */
  prices: ReadonlyMap<string, ModelPrice>;
}

/** The models a provider offers. */
export async function listModels(
  connection: ModelConnection,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<ListedModels> {
  const { path, headers } = LISTINGS[connection.provider];
  const response = await answerOf(fetch, `${connection.baseUrl}${path}`, {
    headers: headers(connection.apiKey?.reveal() ?? null),
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  if (!response.ok && isKeyRefusal(response.status, await response.text()))
    throw new ForgeError('model_auth_failed', `the provider refused the key (${response.status})`);
  if (response.status === 429)
    throw new ForgeError('model_rate_limited', 'the provider answers too many requests (429)');
  if (!response.ok)
    throw new ForgeError('model_failed', `the provider answered ${response.status} when asked for its models`);
  try {
    const body: unknown = await response.json();
    return { ids: modelIds(body), prices: modelPrices(body) };
  } catch (cause) {
    throw new ForgeError('model_failed', 'the provider’s list of models cannot be read', { cause });
  }
}

/** OpenAI, Anthropic and what is like them call it `data` and `id`; Google `models` and `name`, and tells what each can do. */
export function modelIds(body: unknown): string[] {
  return entriesOf(body).map(({ id }) => id);
}

/** OpenRouter and what is like it tell dollars for one token, as texts; a negative one stands for a price that varies. */
function modelPrices(body: unknown): ReadonlyMap<string, ModelPrice> {
  const priced = entriesOf(body).flatMap(({ id, entry: { pricing } }): [string, ModelPrice][] => {
    if (!isRecord(pricing)) return [];
    const [input, output] = [perMillion(pricing['prompt']), perMillion(pricing['completion'])];
    if (input === null || output === null) return [];
    const cache_read = perMillion(pricing['input_cache_read']);
    return [[id, { input, output, cache_read, cache_write: perMillion(pricing['input_cache_write']) }]];
  });
  return new Map(priced);
}

function perMillion(price: unknown): number | null {
  if (typeof price !== 'string' && typeof price !== 'number') return null;
  const dollars = price === '' ? Number.NaN : Number(price) * 1_000_000;
  // Of the digits that the multiplication has added, none is the provider's.
  return dollars >= 0 && dollars <= MAX_MODEL_PRICE ? Number(dollars.toFixed(6)) : null;
}

function entriesOf(body: unknown): { id: string; entry: Record<string, unknown> }[] {
  if (!isRecord(body)) return [];
  const list: unknown[] = [body['data'], body['models']].find((value) => Array.isArray(value)) ?? [];
  const entries = list.flatMap((entry) => {
    if (!isRecord(entry) || !canGenerate(entry)) return [];
    const id = entry['id'] ?? entry['name'];
    return typeof id === 'string' ? [{ id: id.replace(/^models\//, ''), entry }] : [];
  });
  return entries.slice(0, MAX_MODELS);
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
