import type { OutputMasker, RunContext } from '../job.ts';
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
  readonly #masker: OutputMasker;
  readonly #tail: OutputTail;
  #texts: Record<StreamName, TerminalText>;
  #seenBytes = 0;

  constructor(limits: Limits, onOutput: RunContext['onOutput'], masker: OutputMasker) {
    this.#limits = limits;
    this.#onOutput = onOutput;
    this.#masker = masker;
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

  /** Of a secret that begins in what was dropped the rest would not be recognised later on. */
  text(): string {
    const text = this.#tail.text();
    return this.droppedBytes > 0 ? this.#masker.redactAfter(this.#tail.before(), text) : text;
  }

  /** The beginning of a line, with its secrets masked before it is cut. */
  head(line: string, maxChars: number): string {
    const clean = this.#masker.redact(line);
    return clean.length <= maxChars ? clean : `${clean.slice(0, maxChars).toWellFormed()}…`;
  }

  /** A host that hangs has often said why. */
  last(): string {
    const text = this.#masker.redact(this.text()).slice(-LAST_OUTPUT_CHARS).toWellFormed().trim();
    return text === '' ? '. It printed nothing' : `. The last it printed: ${text}`;
  }

  #keep(stream: StreamName, text: string): string {
    if (text === '') return '';
    this.#tail.add(Buffer.from(text));
    this.#onOutput?.(stream, text);
    return text;
  }
}
