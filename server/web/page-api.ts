import { toApiError, type Api, type ApiError, type UploadOptions } from '../../shared/ui/api.ts';
import { dataUrlOf } from '../../shared/ui/data-url.ts';
import { errorOf, readAnswer, unreachable } from '../../shared/ui/read-answer.ts';
import { readEvents } from '../../shared/ui/read-events.ts';
import { notConfirmed, questionIn } from './confirmer.svelte.ts';
import { pageKey } from './page-key.ts';

interface PageApiDeps {
  onLoggedOut: () => void;
  /** Shows the person what a request would do; true when they have confirmed it. */
  confirm: (url: string, signal: AbortSignal | undefined) => Promise<boolean>;
}

type Headers = Record<string, string>;

/** The `Api` of the served page: same-origin requests with the page's key; the cookie comes along by itself. */
export function createPageApi({ onLoggedOut, confirm }: PageApiDeps): Api {
  /** Makes a request, and once more if a person has to confirm it and does. */
  const confirmed = async <T>(
    signal: AbortSignal | undefined,
    attempt: (headers: Headers) => Promise<T>,
  ): Promise<T> => {
    try {
      return await attempt({});
    } catch (failure) {
      const { status } = toApiError(failure);
      if (status === 401) onLoggedOut();
      const question = questionIn(status, failure);
      if (question === null) throw failure;
      if (!(await confirm(question.url, signal))) throw notConfirmed();
      return attempt({ 'X-Forge-Confirmation': question.id });
    }
  };
  const send = async (method: string, path: string, init: Init): Promise<Response> => {
    try {
      return await fetch(path, { ...init, method, headers: { ...init.headers, 'X-Forge-Page-Key': pageKey.get() } });
    } catch (error) {
      init.signal?.throwIfAborted();
      throw error instanceof TypeError ? unreachable() : error;
    }
  };
  const ask = <T>(method: string, path: string, body: unknown, signal?: AbortSignal): Promise<T> =>
    confirmed(signal, async (headers) => {
      const response = await send(method, path, { ...jsonBody(body, headers), ...signalOf(signal) });
      // The server answers with JSON of the route's own schema; the caller names that type.
      return readAnswer(response.status, await response.text()) as T;
    });
  const file: Api['file'] = (path, options) =>
    confirmed(options?.signal, async (headers) => {
      const response = await send('GET', path, { headers, ...signalOf(options?.signal) });
      if (!response.ok) throw await refusal(response);
      return response.blob();
    });
  return {
    get: (path, options) => ask('GET', path, undefined, options?.signal),
    post: (path, body, options) => ask('POST', path, body, options?.signal),
    put: (path, body, options) => ask('PUT', path, body, options?.signal),
    patch: (path, body, options) => ask('PATCH', path, body, options?.signal),
    delete: (path, options) => ask('DELETE', path, undefined, options?.signal),
    upload: (path, content, options = {}) =>
      confirmed(options.signal, (headers) => upload(path, content, options, headers)),
    stream: (path, body, { signal, onEvent }) =>
      confirmed(signal, async (headers) => {
        const init = jsonBody(body, { ...headers, Accept: 'text/event-stream' });
        const response = await send(body === undefined ? 'GET' : 'POST', path, { ...init, ...signalOf(signal) });
        if (!response.ok || response.body === null) throw await refusal(response);
        await readEvents(response.body, onEvent);
      }),
    file,
    imageUrl: async (path) => dataUrlOf(await file(path)),
  };
}

interface Init {
  headers: Headers;
  body?: string;
  signal?: AbortSignal;
}

async function refusal(response: Response): Promise<ApiError> {
  return errorOf(response.status, await response.json());
}

function jsonBody(body: unknown, headers: Headers): Init {
  if (body === undefined) return { headers };
  return { body: JSON.stringify(body), headers: { ...headers, 'Content-Type': 'application/json' } };
}

function signalOf(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** `fetch` cannot tell how much it has sent, so this one is an XMLHttpRequest. */
function upload<T>(path: string, content: Blob, { signal, onProgress }: UploadOptions, headers: Headers): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open('POST', path);
    const sent = { ...headers, 'Content-Type': content.type, 'X-Forge-Page-Key': pageKey.get() };
    for (const [name, value] of Object.entries(sent)) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => onProgress?.(event.total === 0 ? 1 : event.loaded / event.total);
    request.onload = () => {
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
