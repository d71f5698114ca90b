const FIRST_CAPACITY = 64 * 1024;
/** From here on an answer is made into a result by another thread. */
const SHARED_CAPACITY = 256 * 1024;
const SHARED_STEP = 1024 * 1024;

/**
 * Gathers the pieces of an answer up to a limit; small pieces are copied together, so that many of them cost no more than one. Large
 * answers are gathered in shared memory that grows in place: copying megabytes at once, to make room or to hand them to a thread, would
 * hold up everybody else.
 */
export class BodyCollector {
  readonly #maxBytes: number;
  #buffer: Buffer = Buffer.alloc(0);
  #shared: SharedArrayBuffer | null = null;
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
    if (capacity > SHARED_CAPACITY) {
      this.#growShared(length);
      return;
    }
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }

  #growShared(length: number): void {
    const capacity = Math.min(length + SHARED_STEP, this.#maxBytes);
    if (this.#shared === null) {
      this.#shared = new SharedArrayBuffer(capacity, { maxByteLength: this.#maxBytes });
      this.#buffer.copy(Buffer.from(this.#shared), 0, 0, this.#length);
    } else {
      this.#shared.grow(capacity);
    }
    this.#buffer = Buffer.from(this.#shared, 0, capacity);
  }
}
