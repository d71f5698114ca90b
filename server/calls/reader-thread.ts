// Runs in a thread of its own: looks through the log for whoever asks, with a connection that cannot write.
import { workerData } from 'node:worker_threads';
import type { StopSignal } from '../../shared/stop-signal.ts';
import { serveSideThread } from '../base/serve-side-thread.ts';
import { openSqlite } from '../store/sqlite.ts';
import { exportPart, findCalls } from './find-calls.ts';
import type { ReaderRequest } from './log-reader.ts';
import { verifyChain } from './verify.ts';

/** Nobody else waits for this thread; between two slices it looks whether somebody has left. */
const SLICE_ROWS = 20_000;
const PAGE_ROWS = 5000;

// Given by log-reader.ts; nobody else starts this.
const { database } = workerData as { database: string };
const db = await openSqlite(database, { readOnly: true });

serveSideThread(resultOf);

function resultOf(request: ReaderRequest, signal: StopSignal): unknown {
  switch (request.kind) {
    case 'find':
      return findCalls(db, request.filter, request.page, { rows: SLICE_ROWS, signal });
    case 'export':
      return exportPart(db, request.filter, request.after);
    case 'verify':
      return verifyChain(db, { ...withBytes(request.options), signal, pageRows: PAGE_ROWS });
  }
}

type Check = Extract<ReaderRequest, { kind: 'verify' }>['options'];

/** Bytes lose their class on the way here. */
function withBytes(options: Check): Check {
  const segments = options.segments.map((segment) => ({
    ...segment,
    keys: segment.keys && { rows: Buffer.from(segment.keys.rows), head: Buffer.from(segment.keys.head) },
  }));
  return { ...options, segments };
}
