// Runs in a thread of its own: writes the batches it is given, and says what became of each.
import { workerData } from 'node:worker_threads';
import { openUnhurried } from '../store/database.ts';
import { createAppend } from './append-calls.ts';
import type { ThreadBatch, ThreadData } from './thread-writer.ts';

// Given by thread-writer.ts; nobody else starts this.
const { database, keys, headFile, port, answered } = workerData as ThreadData;
const db = await openUnhurried(database);
// Bytes lose their class on the way here.
const bytes = keys === null ? null : { rows: Buffer.from(keys.rows), head: Buffer.from(keys.head) };
const { append, close } = createAppend(db, { keys: bytes, headFile });

port.on('message', (batch: ThreadBatch | 'close') => {
  if (batch === 'close') {
    close();
    db.close();
    port.close();
    return;
  }
  port.postMessage(append(batch.calls, batch.isDurable));
  // Whoever blocks until the answer is there looks at this number.
  Atomics.add(answered, 0, 1);
  Atomics.notify(answered, 0);
});
