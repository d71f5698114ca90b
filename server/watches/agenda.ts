import type { Clock } from '../bridge/clock.ts';

interface Entry {
  at: number;
  id: string;
}

/** The computer's clock may be set while a timer runs, so no timer runs for longer than this. */
const LONGEST_MS = 60_000;

/** When what is due, for any number of things and with one timer: a heap of times, the earliest on top. */
export class Agenda {
  readonly #clock: Clock;
  readonly #onDue: (id: string, at: number) => void;
  readonly #heap: Entry[] = [];
  /** The time that counts for each; an entry of the heap with another time is out of date. */
  readonly #times = new Map<string, number>();
  #timer: { at: number; cancel: () => void } | null = null;
  #isStopped = false;

  constructor(clock: Clock, onDue: (id: string, at: number) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#times.size;
  }

  /** Puts something on, or moves it. */
  set(id: string, at: number): void {
    if (this.#times.get(id) === at) return;
    this.#times.set(id, at);
    this.#push({ at, id });
    // Entries that were moved pile up only as far as there are entries that count.
    if (this.#heap.length > 2 * this.#times.size + 16) this.#rebuild();
    this.#arm();
  }

  drop(id: string): void {
    this.#times.delete(id);
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#timer = null;
  }

  #arm(): void {
    const [first] = this.#heap;
    if (this.#isStopped || first === undefined) return;
    if (this.#timer !== null && this.#timer.at <= first.at) return;
    this.#timer?.cancel();
    const ms = Math.min(Math.max(0, first.at - this.#clock.now()), LONGEST_MS);
    this.#timer = { at: first.at, cancel: this.#clock.after(ms, () => this.#fire()) };
  }

  #fire(): void {
    this.#timer = null;
    const now = this.#clock.now();
    for (let [first] = this.#heap; first !== undefined && first.at <= now; [first] = this.#heap) {
      this.#pop();
      if (this.#times.get(first.id) !== first.at) continue;
      this.#times.delete(first.id);
      this.#onDue(first.id, first.at);
      if (this.#isStopped) return;
    }
    this.#arm();
  }

  #rebuild(): void {
    this.#heap.length = 0;
    for (const [id, at] of this.#times) this.#push({ at, id });
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || parent.at <= entry.at) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const [a, b] = [heap[left], heap[left + 1]];
      if (a === undefined) break;
      const isRight = b !== undefined && b.at < a.at;
      const child = isRight ? b : a;
      if (child.at >= last.at) break;
      heap[at] = child;
      at = isRight ? left + 1 : left;
    }
    heap[at] = last;
  }
}
