import { errorFrame, notificationFrame, resultFrame } from '../../shared/bridge.ts';
import { GLANCE_PATH, type ApiCall } from '../../shared/bridge-api.ts';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import type { Log } from '../log.ts';
import type { ForwardApi } from './forward-api.ts';

interface ApiCallsDeps {
  /** Whether a person lets this browser manage Forge; asked for every call. */
  mayManage: () => boolean;
  forward: ForwardApi;
  send: (text: string) => boolean;
  log: Log;
}

/** A page has a handful of requests under way; more is not a person. */
const MAX_UNDER_WAY = 64;

function isGlance({ method, path, stream }: ApiCall): boolean {
  return method === 'GET' && path === GLANCE_PATH && !stream;
}

/** The calls of the HTTP API that one browser makes over its socket; they end with it. */
export function createApiCalls({ mayManage, forward, send, log }: ApiCallsDeps) {
  const underWay = new Map<number, AbortController>();
  const refusal = () => new ForgeError('manage_not_allowed', 'this browser may not manage Forge');
  const check = (id: number, call: ApiCall): void => {
    if (!isGlance(call) && !mayManage()) throw refusal();
    if (underWay.has(id)) throw new ForgeError('bridge_protocol', 'that id is in use');
    if (underWay.size >= MAX_UNDER_WAY) throw new ForgeError('rate_limited', 'too many requests at once');
  };
  const answer = async (id: number, call: ApiCall): Promise<string> => {
    check(id, call);
    const controller = new AbortController();
    underWay.set(id, controller);
    try {
      // What goes on for hours ends when the person no longer allows it.
      const onText = (text: string): void => {
        if (mayManage()) send(notificationFrame('api.text', { id, text }));
        else controller.abort(refusal());
      };
      const { result, body } = await forward(call, { signal: controller.signal, onText });
      return resultFrame(id, result, body);
    } finally {
      underWay.delete(id);
    }
  };
  return {
    start(id: number, call: ApiCall): void {
      answer(id, call).then(send, (error: unknown) => {
        const told = isForgeError(error) ? error : new ForgeError('internal', 'the request could not be answered');
        if (told !== error) log.debug({ error }, 'a request of a browser failed');
        send(errorFrame(id, { code: told.code, message: told.message, hint: told.hint }));
      });
    },
    cancel: (id: number): void => underWay.get(id)?.abort(),
    end(): void {
      for (const controller of underWay.values()) controller.abort();
    },
  };
}
