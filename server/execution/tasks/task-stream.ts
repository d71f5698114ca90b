import type { ExecutionEvent } from '../adapter.ts';

/** An event with its place in the task's own stream. */
export interface StreamedEvent {
  id: number;
  event: ExecutionEvent;
}

type Listener = (streamed: StreamedEvent) => void;

/** From here on pieces of text that follow each other are kept as one. */
const MAX_EVENTS = 2000;
/** So many ended tasks can be read again from the start. */
const MAX_ENDED = 200;

/**
 * Everything that happened in one task, for whoever listens now or comes later. A piece of text says where it begins, so that a piece
 * which was put together from several can be read by somebody who has had some of them.
 */
export class TaskStream {
  readonly #events: StreamedEvent[] = [];
  readonly #listeners = new Set<Listener>();
  readonly #onEnd = new Set<() => void>();
  #lastId = 0;
  #textLength = 0;
  #isEnded = false;

  get isEnded(): boolean {
    return this.#isEnded;
  }

  append(given: ExecutionEvent): void {
    if (this.#isEnded) return;
    const event = this.#placed(given);
    const streamed = { id: ++this.#lastId, event };
    const last = this.#events.at(-1);
    const merged = this.#events.length >= MAX_EVENTS && last !== undefined ? mergeText(last.event, event) : null;
    if (merged !== null) this.#events[this.#events.length - 1] = { id: streamed.id, event: merged };
    else this.#events.push(streamed);
    for (const listener of [...this.#listeners]) listener(streamed);
  }

  /** The task has ended, and so does the stream. */
  end(): void {
    this.#isEnded = true;
    for (const onEnd of this.#onEnd) onEnd();
    this.#listeners.clear();
    this.#onEnd.clear();
  }

  since(id: number): StreamedEvent[] {
    return this.#events.filter((streamed) => streamed.id > id);
  }

  /** Listens until it is told to stop, or the task has ended. */
  listen(listener: Listener, onEnd: () => void): () => void {
    this.#listeners.add(listener);
    this.#onEnd.add(onEnd);
    return () => {
      this.#listeners.delete(listener);
      this.#onEnd.delete(onEnd);
    };
  }

  #placed(event: ExecutionEvent): ExecutionEvent {
    if (event.type !== 'execution.text') return event;
    const offset = this.#textLength;
    this.#textLength += event.data.text.length;
    return { ...event, data: { text: event.data.text, offset } };
  }
}

function mergeText(last: ExecutionEvent, next: ExecutionEvent): ExecutionEvent | null {
  if (last.type !== 'execution.text' || next.type !== 'execution.text') return null;
  return { ...last, data: { ...last.data, text: last.data.text + next.data.text } };
}

export type TaskStreams = ReturnType<typeof createTaskStreams>;

/** The streams of tasks that run, and of those that ended last. */
export function createTaskStreams() {
  const streams = new Map<string, TaskStream>();
  const forgetOldest = (): void => {
    const ended = [...streams].filter(([, stream]) => stream.isEnded);
    for (const [id] of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) streams.delete(id);
  };
  return {
    open(taskId: string): TaskStream {
      forgetOldest();
      const stream = new TaskStream();
      streams.set(taskId, stream);
      return stream;
    },
    get: (taskId: string): TaskStream | null => streams.get(taskId) ?? null,
    endAll(): void {
      for (const stream of streams.values()) stream.end();
    },
  };
}
