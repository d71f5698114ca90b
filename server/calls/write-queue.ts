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

/** What became of a batch: the names of those that can never be written, or why nothing was. */
export type BatchOutcome = { refused: readonly string[] } | { error: unknown };

/** Writes batches, each as one unit. */
export interface BatchWriter<T> {
  /** Takes one batch at a time, and says what became of it: before it returns, or later. */
  write(batch: readonly T[], done: (outcome: BatchOutcome) => void): void;
  /** Waits, and blocks, until nothing is under way. */
  settle(): void;
}

interface WriteQueueDeps<T> {
  writer: BatchWriter<T>;
  flushMs: number;
  maxBatch: number;
  maxWaiting?: number;
  onProblem?: (problem: QueueProblem) => void;
  schedule?: Schedule;
}

const MAX_RETRY_MS = 60_000;

const withTimeout: Schedule = (work, delayMs) => {
  const timer = setTimeout(work, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
};

/**
 * Collects entries in memory and writes them in batches, off the path of whoever adds them. A batch that fails is kept and tried
 * again, each time after a longer wait; when too many wait, the oldest are dropped and counted.
 */
export function createWriteQueue<T>(deps: WriteQueueDeps<T>) {
  const { writer, flushMs, maxBatch, maxWaiting = 10_000, onProblem, schedule = withTimeout } = deps;
  const waiting: T[] = [];
  /** How many of them, the first ones, are being written. */
  let underWay = 0;
  let dropped = 0;
  let failures = 0;
  let isClosed = false;
  let timer: { cancel: () => void; isSoon: boolean } | null = null;

  const report = (message: string, error?: unknown): void =>
    onProblem?.({ message, waiting: waiting.length, dropped, ...(error === undefined ? {} : { error }) });

  const disarm = (): void => {
    timer?.cancel();
    timer = null;
  };

  /** A full batch goes out at once, unless writing has just failed. */
  const arm = (): void => {
    const isSoon = waiting.length >= maxBatch && failures === 0;
    if (timer !== null && (timer.isSoon || !isSoon)) return;
    disarm();
    const delayMs = isSoon ? 0 : Math.min(flushMs * 2 ** failures, MAX_RETRY_MS);
    timer = { cancel: schedule(tick, delayMs), isSoon };
  };

  const finish = (outcome: BatchOutcome): void => {
    const written = underWay;
    underWay = 0;
    if ('error' in outcome) {
      failures += 1;
      report('calls could not be written to the log; they are kept and tried again', outcome.error);
    } else {
      failures = 0;
      waiting.splice(0, written);
      dropped += outcome.refused.length;
      if (outcome.refused.length > 0) report(`the log refused these calls: ${outcome.refused.join(', ')}`);
    }
    if (waiting.length > 0) arm();
  };

  /** One batch at a time, so that other work gets its turn in between. */
  const tick = (): void => {
    timer = null;
    if (waiting.length === 0 || underWay > 0) return;
    const batch = waiting.slice(0, maxBatch);
    underWay = batch.length;
    writer.write(batch, finish);
  };

  const flush = (): void => {
    if (isClosed) return;
    writer.settle();
    for (let left = Infinity; waiting.length > 0 && waiting.length < left;) {
      left = waiting.length;
      disarm();
      tick();
      writer.settle();
    }
  };

  return {
    add(entry: T): void {
      if (isClosed) {
        dropped += 1;
        report('a call ended after the log was closed and is not in it');
        return;
      }
      if (waiting.length >= maxWaiting) {
        // Those that are being written are as good as gone.
        waiting.splice(underWay, 1);
        dropped += 1;
      }
      waiting.push(entry);
      if (underWay === 0) arm();
    },
    flush,
    close(): void {
      flush();
      disarm();
      isClosed = true;
      if (waiting.length === 0) return;
      dropped += waiting.length;
      waiting.length = 0;
      report('calls that could not be written are lost');
    },
  };
}
