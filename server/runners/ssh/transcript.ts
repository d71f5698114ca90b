import type { RunContext } from '../job.ts';
import { OutputTail } from '../shell/output-tail.ts';
import { TerminalText } from './terminal-text.ts';

export type StreamName = 'stdout' | 'stderr';

interface Limits {
  /** How much of the output is kept. */
  maxKeptBytes: number;
  /** How much a host may print. */
  maxBytes: number;
}

const LAST_OUTPUT_CHARS = 500;

/** Everything a host printed in one call, cleaned: shown as it comes, and its tail kept. */
export class Transcript {
  readonly #limits: Limits;
  readonly #onOutput: RunContext['onOutput'];
  readonly #tail: OutputTail;
  #texts: Record<StreamName, TerminalText>;
  #seenBytes = 0;

  constructor(limits: Limits, onOutput: RunContext['onOutput']) {
    this.#limits = limits;
    this.#onOutput = onOutput;
    this.#tail = new OutputTail(limits.maxKeptBytes);
    this.#texts = { stdout: new TerminalText(), stderr: new TerminalText() };
  }

  get isFlooded(): boolean {
    return this.#seenBytes > this.#limits.maxBytes;
  }

  get droppedBytes(): number {
    return this.#tail.droppedBytes;
  }

  /** Takes what came and gives it back as text. */
  add(stream: StreamName, bytes: Buffer): string {
    this.#seenBytes += bytes.length;
    return this.#keep(stream, this.#texts[stream].push(bytes));
  }

  /** A stream has ended: what it was in the middle of is text too. */
  endStreams(): string {
    const rest = (['stdout', 'stderr'] as const).map((stream) => this.#keep(stream, this.#texts[stream].end()));
    this.#texts = { stdout: new TerminalText(), stderr: new TerminalText() };
    return rest.join('');
  }

  text(): string {
    return this.#tail.text();
  }

  /** A host that hangs has often said why. */
  last(): string {
    const text = this.text().slice(-LAST_OUTPUT_CHARS).toWellFormed().trim();
    return text === '' ? '. It printed nothing' : `. The last it printed: ${text}`;
  }

  #keep(stream: StreamName, text: string): string {
    if (text === '') return '';
    this.#tail.add(Buffer.from(text));
    this.#onOutput?.(stream, text);
    return text;
  }
}
