import type { ApiCall, ApiCallAnswer } from '../../shared/bridge-api.ts';
import { ForgeError } from '../../shared/errors.ts';

interface ForwardDeps {
  port: () => number;
  token: () => string;
}

interface ForwardOptions {
  signal: AbortSignal;
  /** Told the text of an answer as it comes, when the request asked for that. */
  onText: (text: string) => void;
}

export type ForwardApi = (call: ApiCall, options: ForwardOptions) => Promise<{ result: ApiCallAnswer; body: string }>;

/** How requests of a paired browser call themselves. */
export const EXTENSION_CLIENT = 'forge-extension';
/** What would hand the token itself to a browser, or end the person's own session. */
const REFUSED = /^\/api\/auth(\/|$)/i;
const TEXTS = /^(text\/|application\/(json|x-ndjson)|image\/svg\+xml)/;

/** Asks the server itself, as its own page would, so that every check and every route is the same. */
export function createForwardApi({ port, token }: ForwardDeps): ForwardApi {
  return async (call, { signal, onText }) => {
    const origin = `http://127.0.0.1:${port()}`;
    const url = new URL(call.path, origin);
    if (url.origin !== origin || !url.pathname.startsWith('/api/') || REFUSED.test(url.pathname))
      throw new ForgeError('not_found', 'a browser has nothing to ask for there');
    const response = await fetch(url, {
      method: call.method,
      redirect: 'error',
      signal,
      headers: {
        'X-Forge-Token': token(),
        'X-Forge-Client': EXTENSION_CLIENT,
        ...(call.type === null ? {} : { 'Content-Type': call.type }),
        ...(call.stream ? { Accept: 'text/event-stream' } : {}),
      },
      ...(call.body === null ? {} : { body: call.base64 ? Buffer.from(call.body, 'base64') : call.body }),
    });
    const type = response.headers.get('content-type') ?? '';
    const isText = type === '' || TEXTS.test(type);
    const result = { status: response.status, type, base64: !isText };
    if (call.stream && response.ok && response.body !== null) {
      await passOn(response.body, signal, onText);
      return { result, body: '' };
    }
    const bytes = Buffer.from(await response.arrayBuffer());
    return { result, body: bytes.toString(isText ? 'utf8' : 'base64') };
  };
}

/**
 * Reads until the end, or until the signal says so. Node itself forgets the signal of a request whose answer has begun, once garbage
 * was collected, and such an answer would go on for ever.
 */
async function passOn(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      onText(decoder.decode(value, { stream: true }));
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}
