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

interface WriteQueueDeps<T> {
  /** Writes entries as one unit and returns the names of those that can never be written. */
  write: (entries: readonly T[]) => readonly string[];
  /** Makes an entry small that has to wait for long, because writing fails. */
  settle: (entry: T) => T;
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
  const { write, settle, flushMs, maxBatch, maxWaiting = 10_000, onProblem, schedule = withTimeout } = deps;
  const waiting: T[] = [];
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

  const writeBatch = (): boolean => {
    const batch = waiting.slice(0, maxBatch);
    let refused: readonly string[];
    try {
      refused = write(batch);
    } catch (error) {
      failures += 1;
      if (failures === 1) waiting.splice(0, waiting.length, ...waiting.map(settle));
      report('calls could not be written to the log; they are kept and tried again', error);
      return false;
    }
    failures = 0;
    waiting.splice(0, batch.length);
    dropped += refused.length;
    if (refused.length > 0) report(`the log refused these calls: ${refused.join(', ')}`);
    return true;
  };

  /** One batch at a time, so that other work gets its turn in between. */
  const tick = (): void => {
    timer = null;
    if (waiting.length > 0) writeBatch();
    if (waiting.length > 0) arm();
  };

  const flush = (): void => {
    if (isClosed) return;
    disarm();
    while (waiting.length > 0 && writeBatch());
    if (waiting.length > 0) arm();
  };

  return {
    add(entry: T): void {
      if (isClosed) {
        dropped += 1;
        report('a call ended after the log was closed and is not in it');
        return;
      }
      if (waiting.length >= maxWaiting) {
        waiting.shift();
        dropped += 1;
      }
      waiting.push(failures === 0 ? entry : settle(entry));
      arm();
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
