import { toApiError, type Api, type UploadOptions } from '../../shared/ui/api.ts';
import { errorOf, readAnswer, unreachable } from '../../shared/ui/read-answer.ts';
import { readEvents } from '../../shared/ui/read-events.ts';

/** The `Api` of the served page: same-origin requests, and the cookie comes along by itself. */
export function createPageApi(onLoggedOut: () => void): Api {
  const refuse = (status: number, answer: unknown): never => {
    if (status === 401) onLoggedOut();
    throw errorOf(status, answer);
  };
  const send = async (method: string, path: string, init: RequestInit): Promise<Response> => {
    try {
      return await fetch(path, { ...init, method });
    } catch (error) {
      init.signal?.throwIfAborted();
      throw error instanceof TypeError ? unreachable() : error;
    }
  };
  const ask = async <T>(method: string, path: string, body: unknown, signal?: AbortSignal): Promise<T> => {
    const response = await send(method, path, { ...jsonBody(body), ...signalOf(signal) });
    if (response.status === 401) onLoggedOut();
    // The server answers with JSON of the route's own schema; the caller names that type.
    return readAnswer(response.status, await response.text()) as T;
  };
  const file: Api['file'] = async (path, options) => {
    const response = await send('GET', path, signalOf(options?.signal));
    return response.ok ? await response.blob() : refuse(response.status, await response.json());
  };
  return {
    get: (path, options) => ask('GET', path, undefined, options?.signal),
    post: (path, body, options) => ask('POST', path, body, options?.signal),
    put: (path, body, options) => ask('PUT', path, body, options?.signal),
    patch: (path, body, options) => ask('PATCH', path, body, options?.signal),
    delete: (path, options) => ask('DELETE', path, undefined, options?.signal),
    upload: (path, content, options = {}) => upload(path, content, options, onLoggedOut),
    stream: async (path, body, { signal, onEvent }) => {
      const { headers, ...rest } = jsonBody(body);
      const response = await send(body === undefined ? 'GET' : 'POST', path, {
        ...rest,
        ...signalOf(signal),
        headers: { ...headers, Accept: 'text/event-stream' },
      });
      if (!response.ok || response.body === null) return refuse(response.status, await response.json());
      await readEvents(response.body, onEvent);
    },
    file,
    imageUrl: (path) => Promise.resolve(path),
  };
}

function jsonBody(body: unknown): { body?: string; headers?: Record<string, string> } {
  return body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
}

function signalOf(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** `fetch` cannot tell how much it has sent, so this one is an XMLHttpRequest. */
function upload<T>(path: string, content: Blob, options: UploadOptions, onLoggedOut: () => void): Promise<T> {
  const { signal, onProgress } = options;
  return new Promise<T>((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.setRequestHeader('Content-Type', content.type);
    request.upload.onprogress = (event) => onProgress?.(event.total === 0 ? 1 : event.loaded / event.total);
    request.onload = () => {
      if (request.status === 401) onLoggedOut();
      try {
        resolve(readAnswer(request.status, request.responseText) as T); // as in `ask`
      } catch (error) {
        reject(toApiError(error));
      }
    };
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(new DOMException('cancelled', 'AbortError'));
    signal?.addEventListener('abort', () => request.abort());
    request.send(content);
  });
}
