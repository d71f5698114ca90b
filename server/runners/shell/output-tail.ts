export type StreamName = 'stdout' | 'stderr';

/** Small pieces are joined once there are this many, so that a program printing byte by byte costs no more memory than others. */
const MAX_PIECES = 1024;

/** Keys and tokens are shorter in every spelling: one that the front of what is kept cuts in two began within these bytes. */
const EDGE_BYTES = 64 * 1024;

/** Keeps the last bytes of a stream, because the end of an output says how it went. */
export class OutputTail {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #heldBytes = 0;
  #seenBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get seenBytes(): number {
    return this.#seenBytes;
  }

  get droppedBytes(): number {
    return Math.max(0, this.#seenBytes - this.#maxBytes);
  }

  add(chunk: Buffer): void {
    this.#pieces.push(chunk);
    this.#heldBytes += chunk.length;
    this.#seenBytes += chunk.length;
    this.#dropFront();
    if (this.#pieces.length > MAX_PIECES) this.#join();
  }

  /** The kept bytes as text; what is not UTF-8 becomes U+FFFD, and a character cut in two at the front is left out. */
  text(): string {
    const [bytes, start] = this.#keptFrom();
    return bytes.toString('utf8', start);
  }

  /** What stood right before it, for whoever has to know how the text began; empty when nothing was dropped. */
  before(): string {
    const [bytes, end] = this.#keptFrom();
    return end === 0 ? '' : bytes.toString('utf8', firstWholeCharacter(bytes, 0), end);
  }

  #keptFrom(): [bytes: Buffer, start: number] {
    const bytes = this.#join();
    return [bytes, this.droppedBytes > 0 ? firstWholeCharacter(bytes, Math.max(0, bytes.length - this.#maxBytes)) : 0];
  }

  #dropFront(): void {
    let first = this.#pieces[0];
    while (first !== undefined && this.#heldBytes - first.length >= this.#maxBytes + EDGE_BYTES) {
      this.#pieces.shift();
      this.#heldBytes -= first.length;
      first = this.#pieces[0];
    }
  }

  #join(): Buffer {
    const joined = Buffer.concat(this.#pieces, this.#heldBytes);
    const kept = joined.subarray(Math.max(0, joined.length - this.#maxBytes - EDGE_BYTES));
    this.#pieces = [kept];
    this.#heldBytes = kept.length;
    return kept;
  }
}

/** Skips the continuation bytes (10xxxxxx) of a character whose beginning was dropped. */
function firstWholeCharacter(bytes: Buffer, from: number): number {
  let index = from;
  while (index < from + 3 && index < bytes.length && ((bytes[index] ?? 0) & 0xc0) === 0x80) index += 1;
  return index;
}
