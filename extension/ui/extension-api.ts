import type { ApiCall } from '../../shared/bridge-api.ts';
import { ApiError, type Api } from '../../shared/ui/api.ts';
import { base64Of, dataUrlOf } from '../../shared/ui/data-url.ts';
import { readAnswer } from '../../shared/ui/read-answer.ts';
import { createEventReader } from '../../shared/ui/read-events.ts';
import { openLine, type Line } from '../platform/ports.ts';
import type { FromApiPage, ToApiPage } from '../worker/api-messages.ts';

type Answer = Extract<ToApiPage, { kind: 'answer' }>;

interface Waiting {
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
  onText: (text: string) => void;
}

const GET = { method: 'GET', type: null, body: null, base64: false, stream: false } as const;

/**
 * The `Api` of the extension's pages: the worker asks Forge over its own connection, and no page holds a key or a token. `onRefused` is
 * told when Forge does not let this browser ask.
 */
export function createExtensionApi(onRefused: () => void = () => undefined): Api {
  const ask = createAsk(onRefused);
  const json = async <T>(method: ApiCall['method'], path: string, body: unknown, signal?: AbortSignal): Promise<T> => {
    const { result, body: text } = await ask({ ...GET, method, path, ...jsonOf(body) }, signal);
    // The server answers with JSON of the route's own schema; the caller names that type.
    return readAnswer(result.status, text) as T;
  };
  const bytes = async (path: string, signal?: AbortSignal): Promise<Blob> => {
    const { result, body } = await ask({ ...GET, path }, signal);
    if (result.status >= 300) readAnswer(result.status, body);
    return new Blob([result.base64 ? Uint8Array.from(atob(body), (char) => char.charCodeAt(0)) : body], {
      type: result.type,
    });
  };
  return {
    get: (path, options) => json('GET', path, undefined, options?.signal),
    post: (path, body, options) => json('POST', path, body, options?.signal),
    put: (path, body, options) => json('PUT', path, body, options?.signal),
    patch: (path, body, options) => json('PATCH', path, body, options?.signal),
    delete: (path, options) => json('DELETE', path, undefined, options?.signal),
    async upload<T>(path: string, file: Blob, { signal, onProgress }: Parameters<Api['upload']>[2] = {}): Promise<T> {
      const call = { ...GET, method: 'POST', path, type: file.type, body: await base64Of(file), base64: true } as const;
      const { result, body } = await ask(call, signal);
      onProgress?.(1);
      return readAnswer(result.status, body) as T; // as above
    },
    async stream(path, body, { signal, onEvent }) {
      const events = createEventReader(onEvent);
      const call = {
        ...GET,
        method: body === undefined ? 'GET' : 'POST',
        path,
        ...jsonOf(body),
        stream: true,
      } as const;
      const { result, body: text } = await ask(call, signal, events);
      if (result.status >= 300) readAnswer(result.status, text);
    },
    file: (path, options) => bytes(path, options?.signal),
    imageUrl: async (path) => dataUrlOf(await bytes(path)),
  };
}

type Ask = (call: ApiCall, signal?: AbortSignal, onText?: (text: string) => void) => Promise<Answer>;

/** Matches answers of the worker to questions; the worker may die and come back, and what it was asked then has failed. */
function createAsk(onRefused: () => void): Ask {
  const waiting = new Map<number, Waiting>();
  let line: Line<FromApiPage, ToApiPage> | null = null;
  let lastId = 0;
  const take = (message: ToApiPage): void => {
    const question = waiting.get(message.id);
    if (message.kind === 'text') {
      question?.onText(message.text);
      return;
    }
    waiting.delete(message.id);
    if (message.kind === 'answer') question?.resolve(message);
    else question?.reject(new ApiError(message.status, message));
    if (message.kind === 'failed' && message.code === 'manage_not_allowed') onRefused();
  };
  const open = (): Line<FromApiPage, ToApiPage> => {
    const opened = openLine<FromApiPage, ToApiPage>('api');
    opened.onMessage(take);
    opened.onClosed(() => {
      line = null;
      const gone = { status: 0, code: 'bridge_offline', message: 'The extension was restarted', hint: 'Try again.' };
      for (const id of [...waiting.keys()]) take({ kind: 'failed', id, ...gone });
    });
    return opened;
  };
  return (call, signal, onText = () => undefined) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      lastId += 1;
      const id = lastId;
      waiting.set(id, { resolve, reject, onText });
      signal?.addEventListener('abort', () => {
        if (!waiting.delete(id)) return;
        line?.send({ kind: 'cancel', id });
        reject(new DOMException('cancelled', 'AbortError'));
      });
      line ??= open();
      line.send({ kind: 'ask', id, call });
    });
}

function jsonOf(body: unknown): Pick<ApiCall, 'type' | 'body'> {
  return body === undefined ? { type: null, body: null } : { type: 'application/json', body: JSON.stringify(body) };
}
