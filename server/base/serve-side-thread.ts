import { parentPort } from 'node:worker_threads';
import { isForgeError } from '../../shared/errors.ts';
import { Stop, type StopSignal } from '../../shared/stop-signal.ts';
import type { ThreadAnswer, ThreadError, ThreadMessage } from './side-thread.ts';

/** The other side of side-thread.ts: answers each request with what `serve` returns or throws. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says what the thread is asked
export function serveSideThread<Request>(serve: (request: Request, signal: StopSignal) => unknown): void {
  const underWay = new Map<number, Stop>();
  const answer = async (id: number, request: Request): Promise<void> => {
    const stop = new Stop();
    underWay.set(id, stop);
    try {
      const result = await serve(request, stop);
      parentPort?.postMessage({ id, result } satisfies ThreadAnswer);
    } catch (error) {
      parentPort?.postMessage({ id, error: describe(error) } satisfies ThreadAnswer);
    } finally {
      underWay.delete(id);
    }
  };
  parentPort?.on('message', (message: ThreadMessage<Request>) => {
    if (message.kind === 'cancel') underWay.get(message.id)?.abort(new Error('the request was cancelled'));
    else void answer(message.id, message.request);
  });
}

function describe(error: unknown): ThreadError {
  if (isForgeError(error))
    return { message: error.message, code: error.code, hint: error.hint, details: error.details };
  return { message: error instanceof Error ? error.message : String(error), code: null };
}
