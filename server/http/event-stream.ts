import { PassThrough } from 'node:stream';
import type { Reply } from './route.ts';

/** Sends one event; the data is JSON text, which has no line break in it. */
type Send = (event: string, json: string) => void;

/** Server-sent events for one piece of work; the stream ends with it. */
export function eventStream(work: (send: Send) => Promise<void>): Reply {
  const stream = new PassThrough();
  const send: Send = (event, json) => stream.write(`event: ${event}\ndata: ${json}\n\n`);
  work(send).then(
    () => stream.end(),
    (error: unknown) => stream.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return { body: stream, headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' } };
}
