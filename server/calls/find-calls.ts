import { setImmediate as nextTurn } from 'node:timers/promises';
import { ForgeError } from '../../shared/errors.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';
import type { Database, Row } from '../store/sqlite.ts';
import { callOfRow, type CallOutcome } from './call.ts';
import { readAnchor } from './chain.ts';

/** Which calls somebody wants to see; what is left out does not matter. */
export interface CallFilter {
  tool?: string | undefined;
  connector?: string | undefined;
  outcome?: CallOutcome | undefined;
  caller?: string | undefined;
  /** Text that occurs anywhere in a call, in any case. */
  search?: string | undefined;
  /** From this moment on, ISO 8601. */
  since?: string | undefined;
  /** Before this moment, ISO 8601. */
  until?: string | undefined;
}

/** A page of the newest calls before a row. */
export interface CallPage {
  before: number;
  limit: number;
}

interface Slices {
  /** So many rows are looked at in one go. */
  rows: number;
  /** Lets other work have its turn. */
  turn?: () => Promise<unknown>;
  signal?: StopSignal | undefined;
}

/** What a look has found, and the row before which the next one goes on; null at the end of the log. */
interface Look {
  rows: Row[];
  next: number | null;
}

const SEARCHED = ['id', 'tool_id', 'caller', 'code', 'message', 'args', 'trace'];
const EXPORT_ROWS = 200;

/** One line per call: its end, or its beginning while it has none. */
const ONE_PER_CALL = `outcome <> 'note' AND (outcome <> 'started' OR EXISTS
  (SELECT 1 FROM open_calls WHERE open_calls.id = calls.id AND open_calls.seq = calls.seq))`;

type Value = string | number;

/** Finds calls, newest first, looking at a few rows at a time whether or not the filter takes them, so that no look takes long. */
export async function findCalls(db: Database, filter: CallFilter, page: CallPage, slices: Slices): Promise<Row[]> {
  const { turn = nextTurn, signal } = slices;
  const found: Row[] = [];
  const since = startOf(db, filter.since);
  for (let before: number | null = page.before; before !== null;) {
    const look: Look = lookBelow(db, filter, { before, limit: page.limit - found.length }, slices.rows, since);
    found.push(...look.rows);
    before = look.next;
    if (before !== null) await turn();
    signal?.throwIfAborted();
  }
  return found;
}

/** One look at the rows below `before`, none of them before `since`. */
export function lookBelow(
  db: Database,
  filter: CallFilter,
  { before, limit }: CallPage,
  rows: number,
  since = 0,
): Look {
  const newest = Number(db.prepare('SELECT max(seq) AS seq FROM calls').get()?.['seq'] ?? 0);
  const upTo = Math.min(before - 1, newest);
  const end = Math.max(readAnchor(db).seq, since - 1);
  const after = Math.max(end, upTo - rows);
  const found = selectRows(db, filter, { after, upTo, order: 'DESC' }, limit, ONE_PER_CALL);
  const isDone = found.length >= limit || after <= end;
  return { rows: found, next: isDone ? null : after + 1 };
}

/** The first row that is not before a moment; rows lie roughly in the order of time, and each is compared anyway. */
function startOf(db: Database, since: string | undefined): number {
  if (since === undefined) return 0;
  const first = db.prepare('SELECT min(seq) AS seq FROM calls WHERE at >= ?').get(since)?.['seq'];
  return typeof first === 'number' ? first : Number.MAX_SAFE_INTEGER;
}

/** The next part of an export, as JSON Lines, and the row behind which the one after it goes on; null at the end. */
export function exportPart(db: Database, filter: CallFilter, after: number): { lines: string; next: number | null } {
  const start = Math.max(after, readAnchor(db).seq);
  const end = db.prepare(
    `SELECT max(seq) AS seq FROM (SELECT seq FROM calls WHERE seq > ? ORDER BY seq LIMIT ${EXPORT_ROWS})`,
  );
  const upTo = end.get(start)?.['seq'];
  if (typeof upTo !== 'number') return { lines: '', next: null };
  const rows = selectRows(db, filter, { after: start, upTo, order: 'ASC' }, EXPORT_ROWS, 'TRUE');
  return { lines: rows.map((row) => `${JSON.stringify(callOfRow(row))}\n`).join(''), next: upTo };
}

function selectRows(
  db: Database,
  filter: CallFilter,
  { after, upTo, order }: { after: number; upTo: number; order: 'ASC' | 'DESC' },
  limit: number,
  besides: string,
): Row[] {
  const conditions: [string, Value | undefined][] = [
    ['tool_id = ?', filter.tool],
    // There is an index for connectors; a tool's name begins with its own.
    ['connector_id = ?', filter.connector ?? filter.tool?.split('.')[0]],
    ['outcome = ?', filter.outcome],
    ['caller = ?', filter.caller],
    // The plus keeps SQLite from going through the index of times, which is not in the order that is asked for.
    ['+at >= ?', filter.since],
    ['+at < ?', filter.until],
    ['seq > ?', after],
    ['seq <= ?', upTo],
    [searchCondition(), filter.search === undefined ? undefined : likePattern(filter.search)],
  ];
  const used = conditions.filter((condition): condition is [string, Value] => condition[1] !== undefined);
  const where = [...used.map(([sql]) => sql), besides].join(' AND ');
  const values = used.flatMap(([sql, value]) => Array<Value>(sql.split('?').length - 1).fill(value));
  return db.prepare(`SELECT * FROM calls WHERE ${where} ORDER BY seq ${order} LIMIT ?`).all(...values, limit);
}

/** The same filter with its times as the log writes them. */
export function readTimes(filter: CallFilter): CallFilter {
  return { ...filter, since: momentIn('since', filter.since), until: momentIn('until', filter.until) };
}

function momentIn(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new ForgeError('invalid_request', `${name} is not a date such as 2026-01-31T12:00:00Z.`);
}

function searchCondition(): string {
  return `(${SEARCHED.map((column) => `${column} LIKE ? ESCAPE '\\'`).join(' OR ')})`;
}

function likePattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
