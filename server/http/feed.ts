import { PassThrough } from 'node:stream';
import type { StopSignal } from '../../shared/stop-signal.ts';
import { STREAM_HEADERS } from './event-stream.ts';
import type { Reply } from './route.ts';

interface FeedOptions {
  /** What a client may leave unread; it comes back with its Last-Event-ID and misses nothing. */
  maxUnreadBytes: number;
  /** All that are open: they are counted, and end when Forge does. */
  open: Set<PassThrough>;
  signal: StopSignal;
}

const STILL_HERE_MS = 20_000;

/** Server-sent events to a client that may read more slowly than things happen. */
export class Feed {
  readonly #stream = new PassThrough();
  readonly #options: FeedOptions;
  #stop: () => void = () => undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** True once nothing goes out any more: the client is too far behind, or everything was said. */
  get isOver(): boolean {
    return this.#stream.writableEnded || this.#stream.destroyed;
  }

  send(text: string): void {
    if (this.isOver) return;
    const stream = this.#stream;
    stream.write(text);
    if (stream.readableLength + stream.writableLength > this.#options.maxUnreadBytes) this.end();
  }

  end(): void {
    this.#stop();
    this.#stop = () => undefined;
    if (!this.isOver) this.#stream.end();
  }

  /** Goes on with what happens, until the client leaves or the feed ends. `listen` answers how to stop listening. */
  follow(listen: () => () => void): void {
    const { open, signal } = this.#options;
    const stream = this.#stream;
    if (!this.isOver) {
      const silence = listen();
      const timer = setInterval(() => this.send(': still here\n\n'), STILL_HERE_MS);
      this.#stop = () => {
        silence();
        clearInterval(timer);
      };
    }
    // One that has ended is counted until it was read, since it is kept until then.
    open.add(stream);
    const leave = (): void => {
      this.#stop();
      open.delete(stream);
    };
    stream.once('end', leave).once('close', leave);
    signal.addEventListener('abort', () => stream.destroy(), { once: true });
  }

  reply(): Reply {
    return { body: this.#stream, headers: STREAM_HEADERS };
  }
}
