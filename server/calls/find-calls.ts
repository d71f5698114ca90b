import { ForgeError } from '../../shared/errors.ts';
import type { Database, Row } from '../store/sqlite.ts';
import type { CallOutcome } from './call.ts';

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

const SEARCHED = ['id', 'tool_id', 'caller', 'code', 'message', 'args', 'trace'];

type Value = string | number;

/** Up to `limit` rows on one side of a row, nearest first: `before` goes back in time, `after` forward, as far as `upTo`. */
export function findRows(
  db: Database,
  filter: CallFilter,
  from: { before: number } | { after: number; upTo: number },
  limit: number,
): Row[] {
  const conditions: [string, Value | undefined][] = [
    ['tool_id = ?', filter.tool],
    // There is an index for connectors; a tool's name begins with its own.
    ['connector_id = ?', filter.connector ?? filter.tool?.split('.')[0]],
    ['outcome = ?', filter.outcome],
    ['caller = ?', filter.caller],
    ['at >= ?', momentIn('since', filter.since)],
    ['at < ?', momentIn('until', filter.until)],
    'before' in from ? ['seq < ?', from.before] : ['seq > ?', from.after],
    ['seq <= ?', 'before' in from ? undefined : from.upTo],
    [searchCondition(), filter.search === undefined ? undefined : likePattern(filter.search)],
  ];
  const used = conditions.filter((condition): condition is [string, Value] => condition[1] !== undefined);
  const where = used.map(([sql]) => sql).join(' AND ');
  const order = 'before' in from ? 'DESC' : 'ASC';
  const values = used.flatMap(([sql, value]) => Array<Value>(sql.split('?').length - 1).fill(value));
  return db.prepare(`SELECT * FROM calls WHERE ${where} ORDER BY seq ${order} LIMIT ?`).all(...values, limit);
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
