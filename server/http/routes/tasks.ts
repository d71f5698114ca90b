import { Type } from '@sinclair/typebox';
import { ForgeError } from '../../../shared/errors.ts';
import { CancelAnswer, TaskAnswer } from '../../../shared/execution-api.ts';
import type { ExecutionEvent } from '../../execution/adapter.ts';
import type { Task } from '../../execution/tasks/task.ts';
import type { StreamedEvent, TaskStream } from '../../execution/tasks/task-stream.ts';
import { Feed } from '../feed.ts';
import { route, type Reply, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const StreamQuery = Type.Object({
  after: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', description: 'The same as the header Last-Event-ID.' })),
});

const MAX_STREAMS = 64;
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/** Tasks: how they stand, what happens in them, and their end. */
export function taskRoutes({ execution, streams: open }: Services): Route[] {
  const { orchestrator, streams } = execution;
  return [
    route({
      method: 'GET',
      path: '/api/v2/tasks/:id',
      summary: 'A task, with its result once it has ended.',
      access: 'token',
      answers: { status: 200, schema: TaskAnswer },
      handle: ({ params }) => ({ body: { ...orchestrator.get(params['id'] ?? '') } }),
    }),
    route({
      method: 'GET',
      path: '/api/v2/tasks/:id/events',
      summary:
        'What happens in a task, as server-sent events from its beginning or after Last-Event-ID, until it ends.',
      access: 'token',
      query: StreamQuery,
      answers: { status: 200, schema: Type.String(), contentType: 'text/event-stream' },
      handle: ({ params, query, header, signal }) => {
        const task = orchestrator.get(params['id'] ?? '');
        if (open.size >= MAX_STREAMS) throw new ForgeError('rate_limited', 'too many clients listen already');
        const after = Number(/^\d{1,15}$/.exec(header('last-event-id'))?.[0] ?? query.after ?? 0);
        const feed = new Feed({ maxUnreadBytes: MAX_UNREAD_BYTES, open, signal: signal() });
        return follow(feed, streams.get(task.id), task, after);
      },
    }),
    route({
      method: 'POST',
      path: '/api/tasks/:id/cancel',
      summary: 'Stop a task that waits or runs.',
      access: 'token',
      fromPage: 'narrows',
      answers: { status: 200, schema: CancelAnswer },
      handle: ({ params }) => {
        const { id, status } = orchestrator.get(params['id'] ?? '');
        return { body: { id, cancelled: orchestrator.cancel(id), status } };
      },
    }),
  ];
}

function follow(feed: Feed, events: TaskStream | null, task: Task, after: number): Reply {
  const send = (streamed: StreamedEvent): void => feed.send(eventText(streamed));
  feed.send(': hello\n\n');
  for (const streamed of events?.since(after) ?? []) {
    if (feed.isOver) break;
    send(streamed);
  }
  // Of a task that ended long ago only its end is known.
  if (events === null) send({ id: after + 1, event: lastEvent(task) });
  if (events === null || events.isEnded) feed.end();
  else feed.follow(() => events.listen(send, () => feed.end()));
  return feed.reply();
}

function lastEvent({ id: taskId, agentId, result, finishedAt, createdAt }: Task): ExecutionEvent {
  const about = { taskId, agentId, timestamp: finishedAt ?? createdAt };
  if (result?.status === 'ok') return { type: 'execution.completed', ...about, data: result };
  const { error = 'the task was interrupted', errorCode = 'task_interrupted' } = result ?? {};
  return { type: 'execution.failed', ...about, data: { error, errorCode } };
}

function eventText({ id, event }: StreamedEvent): string {
  return `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
