import { Type } from '@sinclair/typebox';
import { ForgeError } from '../../../shared/errors.ts';
import { HELLO_EVENT, RESET_EVENT } from '../../../shared/events.ts';
import type { HeardEvent } from '../../events/event-bus.ts';
import { Feed } from '../feed.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const EventsQuery = Type.Object({
  session: Type.Optional(Type.String({ description: 'Only what belongs to this conversation, or to none.' })),
  after: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', description: 'The same as the header Last-Event-ID.' })),
  follow: Type.Optional(
    Type.Unsafe<'true' | 'false'>({
      ...{ type: 'string', enum: ['true', 'false'] },
      description: 'false: only what was missed, as much of it as one answer takes, and then the end.',
    }),
  ),
});

const MAX_STREAMS = 64;
const MAX_UNREAD_BYTES = 1024 * 1024;

/** Everything that happens, as it happens. */
export function eventRoutes({ events, streams }: Services): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/events',
      summary:
        'What happens, as server-sent events. Last-Event-ID brings what was missed; `reset` says that it is gone.',
      access: 'token',
      query: EventsQuery,
      answers: { status: 200, schema: Type.String(), contentType: 'text/event-stream' },
      handle: ({ query, header, signal }) => {
        if (streams.size >= MAX_STREAMS) throw new ForgeError('rate_limited', 'too many clients listen already');
        const feed = new Feed({ maxUnreadBytes: MAX_UNREAD_BYTES, open: streams, signal: signal() });
        const send = (heard: HeardEvent): void => {
          if (isFor(heard, query.session)) feed.send(eventText(heard));
        };
        const last = lastId(header('last-event-id'), query.after);
        const missed = last === null ? [] : events.since(last);
        feed.send(query.follow === 'false' ? ': hello\n\n' : `event: ${HELLO_EVENT}\ndata: {}\n\n`);
        if (missed === null) feed.send(`event: ${RESET_EVENT}\ndata: {}\n\n`);
        for (const heard of missed ?? []) {
          if (feed.isOver) break;
          send(heard);
        }
        if (query.follow === 'false') feed.end();
        else feed.follow(() => events.listen(send));
        return feed.reply();
      },
    }),
  ];
}

/** A header that is not a number is somebody else's id. */
function lastId(header: string, query: string | undefined): number | null {
  const text = header === '' ? query : header;
  return text === undefined || !/^\d{1,15}$/.test(text) ? null : Number(text);
}

function isFor({ event }: HeardEvent, session: string | undefined): boolean {
  if (session === undefined || !('session_id' in event)) return true;
  return event.session_id === null || event.session_id === session;
}

function eventText({ id, at, event }: HeardEvent): string {
  const head = id === null ? '' : `id: ${id}\n`;
  return `${head}event: ${event.type}\ndata: ${JSON.stringify({ ...event, at })}\n\n`;
}
