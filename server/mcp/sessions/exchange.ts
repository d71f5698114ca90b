import { PassThrough } from 'node:stream';
import { systemClock, type Clock } from '../../bridge/clock.ts';
import { repeat } from '../repeat.ts';
import { event, EVENT_STREAM, KEEP_ALIVE_MS, STILL_HERE, type McpReply } from '../reply.ts';

/**
 * The answer to one request: plain JSON as long as there is one message to send. The first message that comes before the answer, such
 * as progress or a question, turns it into a stream of events.
 */
export class Exchange {
  readonly canStream: boolean;
  readonly reply: Promise<McpReply>;
  readonly #clock: Clock;
  #settle: (reply: McpReply) => void = () => undefined;
  #stream: PassThrough | null = null;

  constructor(accept: string, clock: Clock = systemClock) {
    this.canStream = accept.includes('text/event-stream');
    this.#clock = clock;
    this.reply = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** A message before the answer. A client that takes no events goes without. */
  send(json: string): void {
    if (!this.canStream) return;
    this.#stream ??= this.#open();
    if (!this.#stream.destroyed) this.#stream.write(event(json));
  }

  /** The answer, after which nothing follows. */
  readonly end = (json: string): void => {
    if (this.#stream === null) this.#settle({ json });
    else if (!this.#stream.destroyed) this.#stream.end(event(json));
  };

  /** Whatever stands in between gives up on a stream that is silent, and a person may take minutes to answer. */
  #open(): PassThrough {
    const stream = new PassThrough();
    const beat = (): void => {
      if (stream.writable) stream.write(STILL_HERE);
    };
    stream.once('close', repeat(this.#clock, KEEP_ALIVE_MS, KEEP_ALIVE_MS, beat));
    this.#settle({ body: stream, headers: EVENT_STREAM });
    return stream;
  }
}
