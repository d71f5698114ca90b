import { existsSync } from 'node:fs';
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';
import type { ChainFiles } from './append-calls.ts';
import type { CallWriter } from './call-log.ts';
import { joinCalls, type PackedCall } from './packed-call.ts';
import type { BatchOutcome } from './write-queue.ts';

/** What a thread is started with. */
export interface ThreadData extends ChainFiles {
  database: string;
  port: MessagePort;
  /** Counts the answers, so that whoever blocks can wait for one. */
  answered: Int32Array;
}

/** What a thread is given to write. */
export interface ThreadBatch {
  calls: Uint8Array<ArrayBuffer>;
  isDurable: boolean;
}

interface ThreadWriterOptions extends ChainFiles {
  /** The thread's code, bundled. */
  script: URL;
  database: string;
  /** Batches of this many and more are worth a thread. */
  minRows?: number;
  /** A thread that had nothing to do for so long goes; the next large batch starts another. */
  idleMs?: number;
}

const MIN_ROWS = 64;
const IDLE_MS = 3000;
const LONGEST_WAIT_MS = 30_000;
/** Two durable batches within this time are worth a thread: each waits for the disk. */
const DURABLE_SPELL_MS = 500;

/**
 * Under load, writing the log takes an eighth of the time that a call takes. So from the first large batch on a thread does it, and from
 * the second of several durable ones on. Other batches, and those that come before it is up, are written by the calling thread: most
 * people never need the other.
 */
export function createThreadWriter(own: CallWriter, options: ThreadWriterOptions): CallWriter & { close(): void } {
  const { script, minRows = MIN_ROWS, idleMs = IDLE_MS } = options;
  let thread: Thread | null = null;
  // Where the code is not bundled, as in most tests, there is nothing to start.
  let isPossible = existsSync(script);
  let idle: NodeJS.Timeout | null = null;
  let lastDurable = -Infinity;
  /** One that ends by itself is not replaced: whatever was wrong with it would be wrong again. */
  const end = (ended: Thread): void => {
    if (thread !== ended) return;
    thread = null;
    isPossible = false;
  };
  const rest = (): void => {
    thread?.close();
    thread = null;
  };
  const stayAwake = (): void => {
    if (idle !== null) clearTimeout(idle);
    idle = null;
  };
  const restLater = (): void => {
    idle = setTimeout(rest, idleMs);
    idle.unref();
  };
  const isWorthIt = (rows: number, isDurable: boolean): boolean => {
    if (!isDurable) return rows >= minRows;
    const isSpell = performance.now() - lastDurable < DURABLE_SPELL_MS;
    lastDurable = performance.now();
    return isSpell || rows >= minRows;
  };
  return {
    write(batch, isDurable, done) {
      const isForThread = isWorthIt(batch.length, isDurable);
      if (thread === null && isPossible && isForThread) thread = new Thread(options, end);
      if (thread?.isReady !== true || !isForThread) {
        own.write(batch, isDurable, done);
        return;
      }
      stayAwake();
      thread.write(batch, isDurable, (outcome) => {
        restLater();
        done(outcome);
      });
    },
    settle() {
      thread?.settle();
    },
    close() {
      isPossible = false;
      stayAwake();
      rest();
    },
  };
}

class Thread {
  readonly #port: MessagePort;
  readonly #answered = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #onEnd: (ended: Thread) => void;
  #taken = 0;
  #isReady = false;
  /** Told what became of the batch that is under way. */
  #done: ((outcome: BatchOutcome) => void) | null = null;

  constructor({ script, database, keys, headFile }: ThreadWriterOptions, onEnd: (ended: Thread) => void) {
    const { port1, port2 } = new MessageChannel();
    const workerData: ThreadData = { database, keys, headFile, port: port2, answered: this.#answered };
    const worker = new Worker(script, { workerData, transferList: [port2], name: 'call-log' });
    this.#port = port1;
    this.#onEnd = onEnd;
    port1.on('message', this.#take);
    worker.on('online', () => (this.#isReady = true));
    worker.on('error', (error) => this.#end(error));
    worker.on('exit', () => this.#end(new Error('the thread that writes the log has ended')));
    // Forge ends without waiting for it: before that, everything is settled.
    worker.unref();
    port1.unref();
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  write(batch: readonly PackedCall[], isDurable: boolean, done: (outcome: BatchOutcome) => void): void {
    this.#done = done;
    const calls = joinCalls(batch);
    this.#port.postMessage({ calls, isDurable } satisfies ThreadBatch, [calls.buffer]);
  }

  settle(): void {
    while (this.#done !== null) {
      const received = receiveMessageOnPort(this.#port);
      // The thread sends nothing else.
      if (received !== undefined) this.#take(received.message as BatchOutcome);
      else if (Atomics.wait(this.#answered, 0, this.#taken, LONGEST_WAIT_MS) === 'timed-out')
        this.#end(new Error('the thread that writes the log does not answer'));
    }
  }

  close(): void {
    this.#port.postMessage('close');
  }

  readonly #take = (outcome: BatchOutcome): void => {
    this.#taken += 1;
    const done = this.#done;
    this.#done = null;
    done?.(outcome);
  };

  #end(error: unknown): void {
    this.#onEnd(this);
    this.#port.close();
    const done = this.#done;
    this.#done = null;
    done?.({ error });
  }
}
