import type { StopSignal } from '../../shared/stop-signal.ts';
import { createSideThread } from '../base/side-thread.ts';
import type { Database, Row } from '../store/sqlite.ts';
import { exportPart, findCalls, type CallFilter, type CallPage } from './find-calls.ts';
import { verifyChain, type Verification, type VerifyOptions } from './verify.ts';

/** What takes long in a long log. Whoever answers looks at a few rows at a time. */
export interface LogReader {
  find(filter: CallFilter, page: CallPage, signal?: StopSignal): Promise<Row[]>;
  exportPart(filter: CallFilter, after: number): Promise<{ lines: string; next: number | null }>;
  verify(options: CheckOptions, signal?: StopSignal): Promise<Verification>;
  close(): void;
}

type CheckOptions = Pick<VerifyOptions, 'segments' | 'headFile' | 'recorded' | 'since'>;

/** What the thread is asked. */
export type ReaderRequest =
  | { kind: 'find'; filter: CallFilter; page: CallPage }
  | { kind: 'export'; filter: CallFilter; after: number }
  | { kind: 'verify'; options: CheckOptions };

/** In the thread that everything else runs in, so it looks at few rows at a time. */
const OWN_SLICE_ROWS = 500;

/** Reads where the caller is. */
export function createOwnReader(db: Database): LogReader {
  return {
    find: (filter, page, signal) => findCalls(db, filter, page, { rows: OWN_SLICE_ROWS, signal }),
    exportPart: (filter, after) => Promise.resolve(exportPart(db, filter, after)),
    verify: (options, signal) => verifyChain(db, { ...options, signal }),
    close: () => undefined,
  };
}

interface ThreadReaderOptions {
  /** The thread's code, bundled. */
  script: URL;
  database: string;
  idleMs?: number;
}

/** Reads in a thread with a connection of its own, so that going through a million rows holds up nobody. */
export function createThreadReader(own: LogReader, { script, database, idleMs }: ThreadReaderOptions): LogReader {
  const thread = createSideThread<ReaderRequest>({
    ...{ name: 'call-log-reader', script, workerData: { database } },
    ...(idleMs === undefined ? {} : { idleMs }),
  });
  if (thread === null) return own;
  return {
    // The thread answers each request with what the function of the same name returns.
    find: async (filter, page, signal) => (await thread.ask({ kind: 'find', filter, page }, signal)) as Row[],
    exportPart: async (filter, after) =>
      (await thread.ask({ kind: 'export', filter, after })) as { lines: string; next: number | null },
    verify: async (options, signal) => (await thread.ask({ kind: 'verify', options }, signal)) as Verification,
    close: () => thread.close(),
  };
}
