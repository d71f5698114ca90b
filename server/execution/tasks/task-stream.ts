import type { ExecutionEvent } from '../adapter.ts';

/** An event with its place in the task's own stream. */
export interface StreamedEvent {
  id: number;
  event: ExecutionEvent;
}

type Listener = (streamed: StreamedEvent) => void;

/** From here on pieces of text that follow each other are kept as one. */
const MAX_EVENTS = 2000;
/** As much of a tool's output as an answer shows. */
const MAX_OUTPUT_CHARS = 20_000;
const MAX_OUTPUT_EVENTS = 500;
/** A piece that grew without end could never be dropped. */
const MAX_PIECE_CHARS = 100_000;
const MAX_STREAM_CHARS = 8 * 1024 * 1024;
/** So many ended tasks can be read again from the start, if they are not too large together. */
const MAX_ENDED = 200;
const MAX_ENDED_CHARS = 64 * 1024 * 1024;
/** What an event takes besides its data. */
const EVENT_CHARS = 150;

type Flowing = Extract<ExecutionEvent, { type: 'execution.text' | 'execution.thinking' }>;

/**
 * Everything that happened in one task, for whoever listens now or comes later. A piece of text says where it begins, so that a piece
 * which was put together from several can be read by somebody who has had some of them. Of what is too much, the oldest goes first.
 */
export class TaskStream {
  readonly #events: StreamedEvent[] = [];
  readonly #listeners = new Set<Listener>();
  readonly #onEnd = new Set<() => void>();
  /** Where the next piece begins. */
  readonly #lengths = { 'execution.text': 0, 'execution.thinking': 0 };
  /** What is kept of the output of each tool that runs. */
  readonly #outputs = new Map<string, { ids: number[]; chars: number }>();
  #lastId = 0;
  #chars = 0;
  #isEnded = false;

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** About what it takes to keep it. */
  get chars(): number {
    return this.#chars;
  }

  append(given: ExecutionEvent): void {
    if (this.#isEnded) return;
    const event = isFlowing(given) ? this.#placed(given) : given;
    const streamed = { id: ++this.#lastId, event };
    this.#keep({ ...streamed, event: cutOutput(event) });
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

  #placed(event: Flowing): Flowing {
    const offset = this.#lengths[event.type];
    this.#lengths[event.type] += event.data.text.length;
    return { ...event, data: { text: event.data.text, offset } };
  }

  #keep(streamed: StreamedEvent): void {
    const { id, event } = streamed;
    const last = this.#events.at(-1);
    const merged = this.#events.length >= MAX_EVENTS && last !== undefined ? merge(last.event, event) : null;
    if (merged !== null) {
      this.#events[this.#events.length - 1] = { id, event: merged };
      this.#chars += isFlowing(event) ? event.data.text.length : 0;
    } else {
      this.#events.push(streamed);
      this.#chars += charsOf(event);
    }
    if (event.type === 'execution.tool_output') this.#trimOutput(id, event.data);
    if (event.type === 'execution.tool_result') this.#outputs.delete(event.data.id);
    while (this.#chars > MAX_STREAM_CHARS && this.#events.length > 1) this.#drop(0);
  }

  #trimOutput(id: number, { id: tool, text }: { id: string; text: string }): void {
    const output = this.#outputs.get(tool) ?? { ids: [], chars: 0 };
    this.#outputs.set(tool, output);
    output.ids.push(id);
    output.chars += text.length;
    while (output.ids.length > 1 && (output.chars > MAX_OUTPUT_CHARS || output.ids.length > MAX_OUTPUT_EVENTS)) {
      const oldest = output.ids.shift();
      const place = this.#events.findIndex((streamed) => streamed.id === oldest);
      const event = this.#events[place]?.event;
      if (event?.type !== 'execution.tool_output') continue;
      output.chars -= event.data.text.length;
      this.#drop(place);
    }
  }

  #drop(place: number): void {
    const [dropped] = this.#events.splice(place, 1);
    if (dropped !== undefined) this.#chars -= charsOf(dropped.event);
  }
}

function isFlowing(event: ExecutionEvent): event is Flowing {
  return event.type === 'execution.text' || event.type === 'execution.thinking';
}

function cutOutput(event: ExecutionEvent): ExecutionEvent {
  if (event.type !== 'execution.tool_output' || event.data.text.length <= MAX_OUTPUT_CHARS) return event;
  return { ...event, data: { ...event.data, text: event.data.text.slice(-MAX_OUTPUT_CHARS) } };
}

function merge(last: ExecutionEvent, next: ExecutionEvent): ExecutionEvent | null {
  if (!isFlowing(last) || !isFlowing(next) || last.type !== next.type) return null;
  if (last.data.text.length > MAX_PIECE_CHARS) return null;
  return { ...last, data: { ...last.data, text: last.data.text + next.data.text } };
}

function charsOf(event: ExecutionEvent): number {
  const data = isFlowing(event) ? event.data.text.length : JSON.stringify(event.data ?? '').length;
  return EVENT_CHARS + data;
}

export type TaskStreams = ReturnType<typeof createTaskStreams>;

/** The streams of tasks that run, and of those that ended last. */
export function createTaskStreams() {
  const streams = new Map<string, TaskStream>();
  const forgetOldest = (): void => {
    const ended = [...streams].filter(([, stream]) => stream.isEnded);
    let chars = ended.reduce((sum, [, stream]) => sum + stream.chars, 0);
    for (const [index, [id, stream]] of ended.entries()) {
      if (ended.length - index <= MAX_ENDED && chars <= MAX_ENDED_CHARS) return;
      streams.delete(id);
      chars -= stream.chars;
    }
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
