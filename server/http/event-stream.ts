import { PassThrough } from 'node:stream';
import type { Reply } from './route.ts';

type Send = (event: string, data: unknown) => void;

/** Server-sent events for one piece of work; the stream ends with it. */
export function eventStream(work: (send: Send) => Promise<void>): Reply {
  const stream = new PassThrough();
  const send: Send = (event, data) => stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  work(send).then(
    () => stream.end(),
    (error: unknown) => stream.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return { body: stream, headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' } };
}
