// Runs in a thread of its own: writes the batches it is given, and says what became of each.
import { workerData } from 'node:worker_threads';
import { openUnhurried } from '../store/database.ts';
import { createAppend } from './append-calls.ts';
import type { ThreadData } from './thread-writer.ts';

// Given by thread-writer.ts; nobody else starts this.
const { database, port, answered } = workerData as ThreadData;
const db = await openUnhurried(database);
const append = createAppend(db);

port.on('message', (batch: Uint8Array | 'close') => {
  if (batch === 'close') {
    db.close();
    port.close();
    return;
  }
  port.postMessage(append(batch));
  // Whoever blocks until the answer is there looks at this number.
  Atomics.add(answered, 0, 1);
  Atomics.notify(answered, 0);
});
