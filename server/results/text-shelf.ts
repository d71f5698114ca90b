const CHUNK_BYTES = 1024 * 1024;
/** A larger text has memory of its own: what is left over at the end of a piece must not come to much. */
const MAX_SHARED_BYTES = CHUNK_BYTES / 4;

/** A piece of memory that many texts share. */
interface Chunk {
  readonly memory: Buffer;
  used: number;
  /** How many texts are still in it. */
  texts: number;
}

/** Where a text is. */
export interface ShelfPlace {
  readonly chunk: Chunk;
  readonly start: number;
  readonly end: number;
}

/**
 * Keeps texts as UTF-8 outside of JavaScript's heap. They go in about the order in which they came, and then their memory is used
 * for the next ones: memory that is given back and asked for anew makes the collector go through everything else again and again.
 */
export class TextShelf {
  #current = emptyChunk(0);
  #spare: Chunk | null = null;

  put(text: string, bytes = Buffer.byteLength(text)): ShelfPlace {
    if (bytes > MAX_SHARED_BYTES) return place({ memory: Buffer.from(text), used: bytes, texts: 1 }, 0, bytes);
    if (this.#current.used + bytes > this.#current.memory.length) this.#turnOver();
    const chunk = this.#current;
    const start = chunk.used;
    chunk.used += chunk.memory.write(text, start);
    chunk.texts += 1;
    return place(chunk, start, chunk.used);
  }

  read({ chunk, start, end }: ShelfPlace): string {
    return chunk.memory.toString('utf8', start, end);
  }

  bytes({ chunk, start, end }: ShelfPlace): Uint8Array {
    return chunk.memory.subarray(start, end);
  }

  /** A text that has memory of its own already. */
  static placeOf(text: Uint8Array): ShelfPlace {
    const memory = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    return place({ memory, used: memory.length, texts: 1 }, 0, memory.length);
  }

  /** Each text is taken away once. */
  remove({ chunk }: ShelfPlace): void {
    chunk.texts -= 1;
    if (chunk.texts === 0 && chunk !== this.#current) this.#keep(chunk);
  }

  #turnOver(): void {
    if (this.#current.texts === 0) this.#keep(this.#current);
    this.#current = this.#spare ?? emptyChunk(CHUNK_BYTES);
    this.#current.used = 0;
    this.#spare = null;
  }

  /** One is enough: another becomes free by the time this one is full. */
  #keep(chunk: Chunk): void {
    if (chunk.memory.length === CHUNK_BYTES) this.#spare = chunk;
  }
}

function emptyChunk(bytes: number): Chunk {
  return { memory: Buffer.allocUnsafeSlow(bytes), used: 0, texts: 0 };
}

function place(chunk: Chunk, start: number, end: number): ShelfPlace {
  return { chunk, start, end };
}
