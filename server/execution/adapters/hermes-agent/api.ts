import { ForgeError } from '../../../../shared/errors.ts';
import { isRecord } from '../../../../shared/json.ts';
import type { Fetch } from '../../models/guarded-fetch.ts';
import { eventData } from '../../server-sent-events.ts';
import { createSendToHermes } from './request.ts';

/** One event of a run, as Hermes tells it. */
export interface HermesEvent extends Record<string, unknown> {
  event: string;
}

const TIMEOUT_MS = 10_000;

export type HermesApi = ReturnType<typeof createHermesApi>;

/** Hermes' API server, as far as tasks and discovery need it. */
export function createHermesApi(baseUrl: string, key: string | undefined, fetch: Fetch) {
  const origin = new URL(baseUrl).origin;
  const send = createSendToHermes(
    {
      ...{ name: 'Hermes', origin, keyHint: 'HERMES_API_KEY must be Hermes’ API_SERVER_KEY.' },
      headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
    },
    fetch,
  );

  const get = async (url: string): Promise<unknown> =>
    (await send('GET', url, undefined, AbortSignal.timeout(TIMEOUT_MS))).json();

  return {
    health: () => get(`${origin}/health`),
    /** The profiles that are served: each is a model of the API. */
    models: () => get(`${baseUrl}/models`),
    /** The models that profiles can use, by provider. */
    modelOptions: () => get(`${origin}/api/model/options`),
    skills: () => get(`${baseUrl}/skills`),
    startRun: async (body: Record<string, unknown>, signal: AbortSignal): Promise<string> => {
      const answer: unknown = await (await send('POST', `${baseUrl}/runs`, body, signal)).json();
      const id = isRecord(answer) ? answer['run_id'] : undefined;
      if (typeof id !== 'string') throw new ForgeError('runtime_failed', 'Hermes started no run');
      return id;
    },
    async *events(runId: string, signal: AbortSignal): AsyncGenerator<HermesEvent> {
      const { body } = await send('GET', `${baseUrl}/runs/${encodeURIComponent(runId)}/events`, undefined, signal);
      if (body === null) return;
      for await (const data of eventData(body)) {
        const event: unknown = data === '[DONE]' ? null : JSON.parse(data);
        // Events of kinds that are not known here pass by.
        if (isRecord(event) && typeof event['event'] === 'string') yield { ...event, event: event['event'] };
      }
    },
    stop: (runId: string) =>
      send('POST', `${baseUrl}/runs/${encodeURIComponent(runId)}/stop`, {}, AbortSignal.timeout(TIMEOUT_MS)),
    /** Says no: nobody who could say yes is asked here. */
    deny: (runId: string, approval: Record<string, unknown>, signal: AbortSignal) =>
      send('POST', `${baseUrl}/runs/${encodeURIComponent(runId)}/approval`, { ...approval, choice: 'deny' }, signal),
  };
}
