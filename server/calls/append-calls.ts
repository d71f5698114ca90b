import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import type { CallColumns } from './call.ts';
import { joinCalls, unpackCalls, type PackedCall } from './packed-call.ts';
import { chainHash, readHead, writeHead, type Head } from './chain.ts';
import type { BatchOutcome, BatchWriter } from './write-queue.ts';

/** Writes calls in the thread that asks for it. */
export function createOwnWriter(db: Database): BatchWriter<PackedCall> {
  const append = createAppend(db);
  return { write: (batch, done) => done(append(joinCalls(batch))), settle: () => undefined };
}

/** Adds packed calls to the end of the chain, each batch as one transaction. */
export function createAppend(db: Database): (batch: Uint8Array) => BatchOutcome {
  const addRows = createAddRows(db);
  return (batch) => {
    try {
      return { refused: transaction(db, () => addRows(unpackCalls(batch))) };
    } catch (error) {
      return { error };
    }
  };
}

/** Returns the ids of those that could not be added. Only inside a transaction. */
function createAddRows(db: Database): (batch: readonly CallColumns[]) => string[] {
  const newest = db.prepare('SELECT max(seq) AS seq FROM calls');
  // A row the table refuses must not hold up the ones behind it.
  const insert = db.prepare(
    `INSERT OR IGNORE INTO calls (seq, id, at, caller, tool_id, connector_id, args, outcome, code, message, duration_ms,
       stages, trace, prev_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const add = (seq: number, c: CallColumns, previous: string): string | null => {
    const own = chainHash(previous, seq, c);
    // prettier-ignore
    const { changes } = insert.run(
      seq, c.id, c.at, c.caller, c.tool_id, c.connector_id, c.args, c.outcome, c.code, c.message, c.duration_ms,
      c.stages, c.trace, previous, own,
    );
    return Number(changes) === 1 ? own : null;
  };
  return (batch) => {
    const refused: string[] = [];
    let head: Head = readHead(db) ?? { seq: 0, hash: '', count: 0 };
    // Numbers that somebody else took are left to them, and the check of the chain reports it.
    let seq = Math.max(head.seq, Number(newest.get()?.['seq'] ?? 0));
    for (const columns of batch) {
      const own = add(seq + 1, columns, head.hash);
      if (own === null) {
        refused.push(columns.id);
        continue;
      }
      seq += 1;
      head = { seq, hash: own, count: head.count + 1 };
    }
    writeHead(db, head);
    return refused;
  };
}
