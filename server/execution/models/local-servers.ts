import { isRecord } from '../../../shared/json.ts';
import type { Fetch } from './guarded-fetch.ts';
import { modelIds } from './model-list.ts';

/** A program on this computer that serves models to whoever asks. */
export interface LocalServer {
  name: string;
  base_url: string;
  models: string[];
}

/** Where such programs listen unless they are told otherwise. */
const LOCAL_SERVERS: readonly { name: string; url: string }[] = [
  { name: 'Ollama', url: 'http://127.0.0.1:11434' },
  { name: 'llama.cpp', url: 'http://127.0.0.1:8080' },
  { name: 'LM Studio', url: 'http://127.0.0.1:1234' },
];

const TIMEOUT_MS = 1000;
const MAX_ANSWER_CHARS = 1_000_000;

/** Those that answer as such a program does; whatever else listens there is left alone. */
export async function findLocalServers(fetch: Fetch, places = LOCAL_SERVERS): Promise<LocalServer[]> {
  const found = await Promise.all(places.map(({ name, url }) => look(fetch, name, `${url}/v1`)));
  return found.filter((server) => server !== null);
}

async function look(fetch: Fetch, name: string, base_url: string): Promise<LocalServer | null> {
  try {
    const response = await fetch(`${base_url}/models`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) return null;
    const body: unknown = JSON.parse((await response.text()).slice(0, MAX_ANSWER_CHARS));
    return isRecord(body) && Array.isArray(body['data']) ? { name, base_url, models: modelIds(body) } : null;
  } catch {
    // Nothing listens there, or nothing that speaks of models.
    return null;
  }
}
