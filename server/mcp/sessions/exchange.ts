import { PassThrough } from 'node:stream';
import { event, EVENT_STREAM, type McpReply } from '../reply.ts';

/**
 * The answer to one request: plain JSON as long as there is one message to send. The first message that comes before the answer, such
 * as progress or a question, turns it into a stream of events.
 */
export class Exchange {
  readonly canStream: boolean;
  readonly reply: Promise<McpReply>;
  #settle: (reply: McpReply) => void = () => undefined;
  #stream: PassThrough | null = null;
  #headers: Record<string, string> = {};

  constructor(accept: string) {
    this.canStream = accept.includes('text/event-stream');
    this.reply = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Sent with whatever comes first. */
  header(name: string, value: string): void {
    this.#headers = { ...this.#headers, [name]: value };
  }

  /** A message before the answer. A client that takes no events goes without. */
  send(json: string): void {
    if (!this.canStream) return;
    if (this.#stream === null) {
      this.#stream = new PassThrough();
      this.#settle({ body: this.#stream, headers: { ...EVENT_STREAM, ...this.#headers } });
    }
    if (!this.#stream.destroyed) this.#stream.write(event(json));
  }

  /** The answer, after which nothing follows. */
  end(json: string): void {
    if (this.#stream === null) this.#settle({ json, headers: this.#headers });
    else if (!this.#stream.destroyed) this.#stream.end(event(json));
  }
}
