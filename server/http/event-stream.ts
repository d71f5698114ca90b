import { PassThrough } from 'node:stream';
import type { Reply } from './route.ts';

/** For a stream that lasts: when Forge stops, it does not wait for a connection that nobody uses any more. */
export const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'X-Accel-Buffering': 'no',
  Connection: 'close',
};

/** Sends one event; the data is JSON text, which has no line break in it. */
type Send = (event: string, json: string) => void;

/**
 * Server-sent events for one piece of work; the stream ends with it. The status has been sent by the time the work fails, so a
 * failure is the last event: `error`, with the JSON text that `tell` makes of it.
 */
export function eventStream(tell: (failure: unknown) => string, work: (send: Send) => Promise<void>): Reply {
  const stream = new PassThrough();
  const send: Send = (event, json) => stream.write(`event: ${event}\ndata: ${json}\n\n`);
  work(send)
    .catch((failure: unknown) => send('error', tell(failure)))
    .then(
      () => stream.end(),
      (error: unknown) => stream.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  return { body: stream, headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' } };
}
