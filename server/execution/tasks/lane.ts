import { ForgeError } from '../../../shared/errors.ts';

/** What a task gets when it may run; it gives it back when it is done. */
export type Leave = () => void;

interface Waiting {
  enter: (leave: Leave) => void;
  giveUp: (reason: Error) => void;
}

const RETRY_AFTER_SEC = 5;

/** One runtime's queue: so many at once, first come first served, and an end to how many may wait. */
export class Lane {
  readonly #width: number;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<Waiting>();
  #running = 0;

  constructor(width: number, maxWaiting: number) {
    this.#width = Math.max(1, width);
    this.#maxWaiting = maxWaiting;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Throws at once when too many wait already; otherwise says how many are ahead, and when it is this one's turn. */
  enter(signal: AbortSignal): { ahead: number; turn: Promise<Leave> } {
    if (this.#running < this.#width) return { ahead: 0, turn: Promise.resolve(this.#take()) };
    if (this.#waiting.size >= this.#maxWaiting)
      throw new ForgeError('queue_full', `${this.#waiting.size} tasks wait for this runtime already`, {
        details: { retry_after_sec: RETRY_AFTER_SEC },
      });
    const ahead = this.#waiting.size + 1;
    const turn = new Promise<Leave>((enter, giveUp) => {
      const waiting: Waiting = { enter, giveUp };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', () => {
        if (this.#waiting.delete(waiting)) giveUp(asError(signal.reason));
      });
    });
    return { ahead, turn };
  }

  #take(): Leave {
    this.#running += 1;
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#running -= 1;
      const [next] = this.#waiting;
      if (next === undefined) return;
      this.#waiting.delete(next);
      next.enter(this.#take());
    };
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
