/** Runs work later and returns how to call it off. */
export type Schedule = (work: () => void, delayMs: number) => () => void;

/** Something that kept entries from being written. */
export interface QueueProblem {
  message: string;
  error?: unknown;
  /** Entries that still wait. */
  waiting: number;
  /** Entries that are lost, since the queue was made. */
  dropped: number;
}

/**
 * What became of a batch: the names of those that can never be written, or why nothing was. `unconfirmed`: all was written, but not
 * everything that goes with a durable batch.
 */
export type BatchOutcome = { refused: readonly string[]; unconfirmed?: unknown } | { error: unknown };

/** Writes batches, each as one unit. */
export interface BatchWriter<T> {
  /** Takes one batch at a time, and says what became of it: before it returns, or later. A durable one must then be on disk. */
  write(batch: readonly T[], isDurable: boolean, done: (outcome: BatchOutcome) => void): void;
  /** Waits, and blocks, until nothing is under way. */
  settle(): void;
  close?(): void;
}

interface WriteQueueDeps<T> {
  writer: BatchWriter<T>;
  flushMs: number;
  maxBatch: number;
  maxWaiting?: number;
  /** At least so often a batch is durable, whatever is in it. */
  durableEveryMs?: number;
  onProblem?: (problem: QueueProblem) => void;
  /** Told how each batch went. */
  onOutcome?: (error: unknown) => void;
  schedule?: Schedule;
  monotonic?: () => number;
}

/** An entry that waits, and whoever waits for it. */
interface Waiting<T> {
  value: T;
  /** Told when it is on disk, or why it is not; then it is not tried again. */
  settle?: (error: unknown) => void;
}

const MAX_RETRY_MS = 60_000;
const DURABLE_EVERY_MS = 10_000;

export const withTimer: Schedule = (work, delayMs) => {
  if (delayMs === 0) {
    const immediate = setImmediate(work);
    return () => clearImmediate(immediate);
  }
  const timer = setTimeout(work, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
};

/**
 * Collects entries in memory and writes them in batches, off the path of whoever adds them. A batch that fails is kept and tried
 * again, each time after a longer wait; when too many wait, the oldest are dropped and counted. Somebody may wait for an entry to be on
 * disk: everything that waits at that moment is then written with it, so that many at a time share one wait for the disk.
 */
export class WriteQueue<T> {
  readonly #deps: Required<Omit<WriteQueueDeps<T>, 'onProblem' | 'onOutcome'>> & WriteQueueDeps<T>;
  #waiting: Waiting<T>[] = [];
  /** How many of them, the first ones, are being written. */
  #underWay = 0;
  #dropped = 0;
  #failures = 0;
  #isClosed = false;
  #durableAt: number;
  #timer: { cancel: () => void; isSoon: boolean } | null = null;

  constructor(deps: WriteQueueDeps<T>) {
    const defaults = { maxWaiting: 10_000, durableEveryMs: DURABLE_EVERY_MS, schedule: withTimer };
    this.#deps = { ...defaults, monotonic: () => performance.now(), ...deps };
    this.#durableAt = this.#deps.monotonic();
  }

  /** An urgent one does not wait for others to come. */
  add(value: T, isUrgent = false): void {
    this.#push({ value }, isUrgent);
  }

  /** Resolves when the entry is on disk; rejects when it could not be written, and forgets it. */
  addDurably(value: T): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error: unknown): void => (error === null ? resolve() : reject(asError(error)));
      this.#push({ value, settle }, true);
    });
  }

  flush(): void {
    if (this.#isClosed) return;
    const { writer } = this.#deps;
    writer.settle();
    for (let left = Infinity; this.#waiting.length > 0 && this.#waiting.length < left;) {
      left = this.#waiting.length;
      this.#disarm();
      this.#tick();
      writer.settle();
    }
  }

  close(): void {
    this.flush();
    this.#disarm();
    this.#isClosed = true;
    const lost = this.#waiting.splice(0);
    if (lost.length === 0) return;
    this.#dropped += lost.length;
    for (const { settle } of lost) settle?.(new Error('the log is closed'));
    this.#report('calls that could not be written are lost');
  }

  #push(entry: Waiting<T>, isUrgent: boolean): void {
    if (this.#isClosed) {
      this.#dropped += 1;
      this.#report('a call ended after the log was closed and is not in it');
      entry.settle?.(new Error('the log is closed'));
      return;
    }
    if (this.#waiting.length >= this.#deps.maxWaiting) {
      // Those that are being written are as good as gone.
      const [oldest] = this.#waiting.splice(this.#underWay, 1);
      this.#dropped += 1;
      oldest?.settle?.(new Error('too many calls wait to be written'));
    }
    this.#waiting.push(entry);
    if (this.#underWay === 0) this.#arm(isUrgent);
  }

  /** A full batch goes out at once, unless writing has just failed; one that somebody waits for goes out in any case. */
  #arm(isUrgent: boolean): void {
    const { maxBatch, flushMs, schedule } = this.#deps;
    const isSoon = isUrgent || (this.#waiting.length >= maxBatch && this.#failures === 0);
    if (this.#timer !== null && (this.#timer.isSoon || !isSoon)) return;
    this.#disarm();
    const delayMs = isSoon ? 0 : Math.min(flushMs * 2 ** this.#failures, MAX_RETRY_MS);
    this.#timer = { cancel: schedule(() => this.#tick(), delayMs), isSoon };
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** One batch at a time, so that other work gets its turn in between. */
  #tick(): void {
    this.#timer = null;
    if (this.#waiting.length === 0 || this.#underWay > 0) return;
    const { writer, maxBatch, monotonic, durableEveryMs } = this.#deps;
    const batch = this.#waiting.slice(0, maxBatch);
    this.#underWay = batch.length;
    const isDurable = batch.some(isAwaited) || monotonic() - this.#durableAt >= durableEveryMs;
    if (isDurable) this.#durableAt = monotonic();
    const values = batch.map(({ value }) => value);
    writer.write(values, isDurable, (outcome) => this.#finish(outcome));
  }

  #finish(outcome: BatchOutcome): void {
    const batch = this.#waiting.slice(0, this.#underWay);
    const rest = this.#waiting.slice(this.#underWay);
    this.#underWay = 0;
    if ('error' in outcome) {
      this.#failures += 1;
      // Whoever waits is told no, and what they wanted to record does not happen.
      this.#waiting = [...batch.filter((entry) => !isAwaited(entry)), ...rest];
      this.#report('calls could not be written to the log; they are kept and tried again', outcome.error);
    } else {
      this.#failures = 0;
      this.#waiting = rest;
      this.#dropped += outcome.refused.length;
      if (outcome.refused.length > 0) this.#report(`the log refused these calls: ${outcome.refused.join(', ')}`);
      if (outcome.unconfirmed !== undefined) this.#report('the newest row could not be recorded', outcome.unconfirmed);
    }
    const failure = 'error' in outcome ? outcome.error : (outcome.unconfirmed ?? null);
    this.#deps.onOutcome?.(failure);
    for (const { settle } of batch) settle?.(failure);
    if (this.#waiting.length > 0) this.#arm(this.#waiting.some(isAwaited));
  }

  #report(message: string, error?: unknown): void {
    const counts = { waiting: this.#waiting.length, dropped: this.#dropped };
    this.#deps.onProblem?.({ message, ...counts, ...(error === undefined ? {} : { error }) });
  }
}

function isAwaited<T>({ settle }: Waiting<T>): boolean {
  return settle !== undefined;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
