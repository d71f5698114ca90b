import { Type } from '@sinclair/typebox';
import { PassThrough } from 'node:stream';
import { ForgeError } from '../../../shared/errors.ts';
import { HELLO_EVENT, RESET_EVENT } from '../../../shared/events.ts';
import type { HeardEvent } from '../../events/event-bus.ts';
import { STREAM_HEADERS } from '../event-stream.ts';
import { route, type Reply, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const EventsQuery = Type.Object({
  session: Type.Optional(Type.String({ description: 'Only what belongs to this conversation, or to none.' })),
  after: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', description: 'The same as the header Last-Event-ID.' })),
  follow: Type.Optional(
    Type.Unsafe<'true' | 'false'>({
      ...{ type: 'string', enum: ['true', 'false'] },
      description: 'false: only what was missed, and then the end.',
    }),
  ),
});

const MAX_STREAMS = 64;
/** What a client may leave unread; it comes back with its Last-Event-ID and misses nothing. */
const MAX_UNREAD_BYTES = 1024 * 1024;
const STILL_HERE_MS = 20_000;

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
        const stream = new PassThrough();
        const send = (heard: HeardEvent): void => {
          if (!isFor(heard, query.session)) return;
          stream.write(eventText(heard));
          if (stream.readableLength + stream.writableLength > MAX_UNREAD_BYTES) stream.end();
        };
        const last = lastId(header('last-event-id'), query.after);
        const missed = last === null ? [] : events.since(last);
        stream.write(query.follow === 'false' ? ': hello\n\n' : `event: ${HELLO_EVENT}\ndata: {}\n\n`);
        if (missed === null) stream.write(`event: ${RESET_EVENT}\ndata: {}\n\n`);
        for (const heard of missed ?? []) send(heard);
        if (query.follow === 'false') return reply(stream.end());
        const silence = events.listen(send);
        const timer = setInterval(() => stream.write(': still here\n\n'), STILL_HERE_MS);
        streams.add(stream);
        const leave = (): void => {
          silence();
          clearInterval(timer);
          streams.delete(stream);
        };
        stream.once('end', leave).once('close', leave);
        signal().addEventListener('abort', () => stream.destroy(), { once: true });
        return reply(stream);
      },
    }),
  ];
}

function reply(stream: PassThrough): Reply {
  return { body: stream, headers: STREAM_HEADERS };
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
