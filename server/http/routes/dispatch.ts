import { CallbackAnswer, CallbackRequest, DispatchAnswer, DispatchRequest } from '../../../shared/execution-api.ts';
import { readDispatch } from '../../execution/tasks/dispatch-request.ts';
import type { Submitted } from '../../execution/tasks/orchestrator.ts';
import { createWaitingClients } from '../waiting-clients.ts';
import { route, type Reply, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const BODY_LIMIT = 4 * 1024 * 1024;

/** Work for execution adapters from outside, and what others report of theirs. */
export function dispatchRoutes({ execution }: Services): Route[] {
  const { orchestrator, receiveCallback } = execution;
  const clients = createWaitingClients((id) => orchestrator.cancel(id));
  return [
    route({
      method: 'POST',
      path: '/api/v2/dispatch',
      summary:
        'Run a task on an execution adapter. The result is posted to callback_url, or answered when wait is true.',
      access: 'token',
      body: { json: DispatchRequest, limit: BODY_LIMIT },
      answers: { status: 202, schema: DispatchAnswer },
      handle: async ({ body, signal }) => {
        const { spec, wait } = readDispatch(body);
        const submitted = await orchestrator.submit(spec);
        const { task, isKnown, done } = submitted;
        if (!wait) {
          clients.keep(task.id);
          return { status: 202, body: { ...about(submitted), status: 'accepted' } };
        }
        // Whoever waited and left has no other way to get the result.
        if (spec.callback === undefined && !isKnown) {
          clients.begin(task.id);
          void done.finally(() => clients.keep(task.id)).catch(() => undefined);
        }
        signal().addEventListener('abort', clients.join(task.id), { once: true });
        return answer(submitted);
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2/callbacks',
      summary: 'Report the result of a task. The same report again changes nothing.',
      access: 'token',
      body: { json: CallbackRequest, limit: BODY_LIMIT },
      answers: { status: 200, schema: CallbackAnswer },
      handle: ({ body }) => ({ body: { ok: true, ...receiveCallback(body) } }),
    }),
  ];
}

async function answer(submitted: Submitted): Promise<Reply> {
  return { body: { ...about(submitted), ...(await submitted.done) } };
}

function about({ task: { id: taskId, provider, warnings }, isKnown }: Submitted): Record<string, unknown> {
  return { taskId, provider, warnings, ...(isKnown ? { duplicate: true } : {}) };
}
