import { ERRORS } from '../../shared/error-table.ts';
import { isForgeError } from '../../shared/errors.ts';
import type { ApiLine } from '../bridge/api-line.ts';
import { onLine } from '../platform/ports.ts';
import type { ApiFailure, FromApiPage, ToApiPage } from './api-messages.ts';

interface ApiDeps {
  ready: () => Promise<void>;
  ask: ApiLine['ask'];
}

/** Hands the questions of our own pages on to Forge. A page that is closed takes its questions with it. */
export function serveApi({ ready, ask }: ApiDeps): void {
  onLine<ToApiPage, FromApiPage>('api', (line) => {
    const underWay = new Map<number, AbortController>();
    const answer = async ({ id, call }: Extract<FromApiPage, { kind: 'ask' }>): Promise<void> => {
      const controller = new AbortController();
      underWay.set(id, controller);
      try {
        await ready();
        const onText = (text: string): void => line.send({ kind: 'text', id, text });
        line.send({ kind: 'answer', id, ...(await ask(call, { signal: controller.signal, onText })) });
      } catch (error) {
        line.send({ kind: 'failed', id, ...wordsOf(error) });
      }
      underWay.delete(id);
    };
    line.onMessage((message) => {
      if (message.kind === 'ask') void answer(message);
      else underWay.get(message.id)?.abort();
    });
    line.onClosed(() => {
      for (const controller of underWay.values()) controller.abort();
    });
  });
}

function wordsOf(error: unknown): ApiFailure {
  if (!isForgeError(error))
    return { status: 0, code: 'internal', message: error instanceof Error ? error.message : String(error), hint: '' };
  const { code, message, hint } = error;
  return { status: code === 'bridge_offline' ? 0 : ERRORS[code].status, code, message, hint };
}
