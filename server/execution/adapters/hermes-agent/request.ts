import { ForgeError } from '../../../../shared/errors.ts';
import { clipWords } from '../../../results/cut-text.ts';
import type { Fetch } from '../../models/guarded-fetch.ts';

interface HermesServer {
  /** What error messages call it. */
  name: string;
  origin: string;
  /** Proves who asks. */
  headers: Record<string, string>;
  /** What to do when it refuses the proof. */
  keyHint: string;
}

/** Sends requests to one of Hermes' two servers; anything but a success is an error that says what Hermes answered. */
export function createSendToHermes({ name, origin, headers, keyHint }: HermesServer, fetch: Fetch) {
  return async (method: string, url: string, body: unknown, signal: AbortSignal): Promise<Response> => {
    let response: Response;
    try {
      response = await fetch(url, {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        signal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (cause) {
      if (signal.aborted) throw cause;
      throw new ForgeError('runtime_offline', `${name} does not answer at ${origin}`, { cause });
    }
    if (response.ok) return response;
    const isRefused = response.status === 401 || response.status === 403;
    const message = `${name} answered ${response.status}: ${clipWords(await response.text(), 300)}`;
    throw new ForgeError(isRefused ? 'model_auth_failed' : 'runtime_failed', message, {
      hint: isRefused ? keyHint : 'Read what Hermes says.',
      details: { status: response.status },
    });
  };
}
