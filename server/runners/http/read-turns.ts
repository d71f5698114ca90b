/** What may go on or wait, as undici's controllers do. */
interface Pausable {
  pause(): void;
  resume(): void;
}

/** A few milliseconds of copying. */
const BYTES_PER_TURN = 1024 * 1024;
/** What a piece costs at least: a service may send its answer a byte at a time. */
const PIECE_BYTES = 256;

/**
 * Shares the event loop among answers that arrive at the same time. A socket hands over up to 2 MB at once; with many of them, others would wait until all have been
 * copied. Beyond a few pieces per turn of the loop, the rest waits for the next ones, in the order in which they came.
 */
export class ReadTurns {
  readonly #bytesPerTurn: number;
  readonly #nextTurn: (go: () => void) => void;
  readonly #waiting: Pausable[] = [];
  #left: number;
  #isTurnComing = false;

  constructor(bytesPerTurn = BYTES_PER_TURN, nextTurn: (go: () => void) => void = setImmediate) {
    this.#bytesPerTurn = bytesPerTurn;
    this.#left = bytesPerTurn;
    this.#nextTurn = nextTurn;
  }

  /** Says that a piece was read. The reader waits if this turn has had enough. */
  read(reader: Pausable, bytes: number): void {
    this.#left -= Math.max(bytes, PIECE_BYTES);
    this.#comeAgain();
    if (this.#left > 0) return;
    reader.pause();
    this.#waiting.push(reader);
  }

  #comeAgain(): void {
    if (this.#isTurnComing) return;
    this.#isTurnComing = true;
    this.#nextTurn(() => {
      this.#isTurnComing = false;
      this.#left = this.#bytesPerTurn;
      // One that has more at hand reads it now, and may use up the turn.
      while (this.#left > 0) {
        const reader = this.#waiting.shift();
        if (reader === undefined) return;
        reader.resume();
      }
      this.#comeAgain();
    });
  }
}
