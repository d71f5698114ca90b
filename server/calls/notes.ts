import { randomBytes } from 'node:crypto';
import { isRecord, type JsonValue } from '../../shared/json.ts';
import type { Database, Row } from '../store/sqlite.ts';
import { columnsOfRow, NOTE, type CallColumns } from './call.ts';
import { chainHash, linkIn, type ChainKeys, type Link } from './chain.ts';

/**
 * Rows that tell of the log itself, chained like all others. `pruned`: rows were removed. `day`: Forge has seen one more day pass.
 * `head`: at a start, what is recorded outside did not fit the database.
 */
export type NoteCode = 'pruned' | 'day' | 'head';

/** What one prune removed, and why. */
export interface Pruned {
  at: string;
  from: number;
  to: number;
  count: number;
  why: 'age' | 'count';
}

export function noteColumns(code: NoteCode, message: string, args: JsonValue, at: Date): CallColumns {
  return {
    id: `note_${randomBytes(8).toString('hex')}`,
    at: at.toISOString(),
    caller: 'forge',
    tool_id: '',
    connector_id: '',
    args: JSON.stringify(args),
    outcome: NOTE,
    code,
    message,
    duration_ms: 0,
    stages: '{}',
    trace: 'null',
  };
}

/** What a row about a prune says; null for any other row. */
export function prunedIn(row: Row): { pruned: Pruned; last: Link } | null {
  if (row['outcome'] !== NOTE || row['code'] !== 'pruned') return null;
  const args = argsOf(row);
  if (!isRecord(args)) return null;
  const { from, to, count, why } = args;
  const last = linkIn({ seq: to, hash: args['hash'] });
  if (last === null || typeof from !== 'number' || typeof count !== 'number') return null;
  const at = String(row['at']);
  return { pruned: { at, from, to: last.seq, count, why: why === 'count' ? 'count' : 'age' }, last };
}

/** The newest days that were noted, at most so many; a note that somebody else wrote does not count. */
export function dayNotes(db: Database, keys: ChainKeys | null, limit: number): Row[] {
  return db
    .prepare(`SELECT * FROM calls WHERE outcome = 'note' AND code = 'day' ORDER BY seq DESC LIMIT ?`)
    .all(limit)
    .filter((row) => isOwn(row, keys));
}

function isOwn(row: Row, keys: ChainKeys | null): boolean {
  const key = keys?.rows ?? null;
  return row['hash'] === chainHash(key, String(row['prev_hash']), Number(row['seq']), columnsOfRow(row));
}

function argsOf(row: Row): unknown {
  try {
    return JSON.parse(String(row['args']));
  } catch {
    // Somebody else wrote it, which the check of the chain reports.
    return null;
  }
}
