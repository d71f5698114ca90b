const FIRST_CAPACITY = 64 * 1024;

/** Gathers the pieces of an answer up to a limit; small pieces are copied together, so that many of them cost no more than one. */
export class BodyCollector {
  readonly #maxBytes: number;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** False when the limit is passed; the piece is then not kept. */
  append(piece: Buffer): boolean {
    const length = this.#length + piece.length;
    if (length > this.#maxBytes) return false;
    // Most answers come in one piece, which is taken as it is.
    if (this.#length === 0) this.#buffer = piece;
    else this.#copy(piece, length);
    this.#length = length;
    return true;
  }

  /** Everything gathered so far. */
  take(): Buffer {
    return this.#buffer.length === this.#length ? this.#buffer : this.#buffer.subarray(0, this.#length);
  }

  /** The first piece belongs to the socket, but it is full, so that nothing is ever written into it. */
  #copy(piece: Buffer, length: number): void {
    if (length > this.#buffer.length) this.#grow(length);
    piece.copy(this.#buffer, this.#length);
  }

  #grow(length: number): void {
    const capacity = Math.min(Math.max(length, this.#buffer.length * 2, FIRST_CAPACITY), this.#maxBytes);
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
