import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { isRecord } from '../../shared/json.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';
import { getMeta, setMeta } from '../store/meta.ts';
import type { Database, Row } from '../store/sqlite.ts';
import { columnsOfRow, type CallColumns } from './call.ts';

/** The row before the oldest one that is kept: where the chain starts after old rows were removed. */
interface Anchor {
  seq: number;
  hash: string;
}

/** The newest row and how many there are, kept apart from the rows so that missing ones show. */
export interface Head extends Anchor {
  count: number;
}

/** Where the log was changed by somebody else. */
interface Broken {
  seq: number;
  /** Null for a row that is missing. */
  id: string | null;
  reason: string;
}

export type Verification = { ok: true; checked: number } | { ok: false; checked: number; firstBroken: Broken };

const ANCHOR = 'calls_anchor';
const HEAD = 'calls_head';
const PAGE_ROWS = 200;

/** The hash of a row: of its content and, through the hash before it, of everything older. */
export function chainHash(previous: string, seq: number, columns: CallColumns): string {
  const { args, at, caller, code, connector_id, duration_ms, id, message, outcome, stages, tool_id, trace } = columns;
  const short = [previous, seq, id, at, caller, tool_id, connector_id, outcome, code, message, duration_ms];
  // No JSON has a zero byte in it. The long texts are JSON already, and writing them as JSON again takes longer than the hash.
  return hash('sha256', `${JSON.stringify(short)}\0${args}\0${stages}\0${trace}`, 'hex');
}

/** The hash as rows had it before: of all columns as one JSON object, the names in alphabetical order. */
export function formerChainHash(previous: string, seq: number, columns: CallColumns): string {
  const { args, at, caller, code, connector_id, duration_ms, id, message, outcome, stages, tool_id, trace } = columns;
  const row = { args, at, caller, code, connector_id, duration_ms, id, message, outcome, seq, stages, tool_id, trace };
  return hash('sha256', previous + JSON.stringify(row), 'hex');
}

/** The head, or null when what is recorded about it is gone or unreadable. */
export function readHead(db: Database): Head | null {
  const read = readLink(db, HEAD);
  return read !== null && typeof read['count'] === 'number' ? { ...linkOf(read), count: read['count'] } : null;
}

export function writeHead(db: Database, head: Head): void {
  setMeta(db, HEAD, JSON.stringify(head));
}

function readAnchor(db: Database): Anchor {
  const read = readLink(db, ANCHOR);
  return read === null ? { seq: 0, hash: '' } : linkOf(read);
}

export function writeAnchor(db: Database, anchor: Anchor): void {
  setMeta(db, ANCHOR, JSON.stringify(anchor));
}

interface VerifyOptions {
  /** Lets other work have its turn; between two pages the log may grow, and lose its oldest rows. */
  turn?: () => Promise<unknown>;
  signal?: StopSignal | undefined;
  pageRows?: number;
}

/** Follows the chain from the anchor to the head, page by page, and reports the first place where it does not hold. */
export async function verifyChain(db: Database, options: VerifyOptions = {}): Promise<Verification> {
  const { turn = setImmediate, signal, pageRows = PAGE_ROWS } = options;
  const page = db.prepare(`SELECT * FROM calls WHERE seq > ? ORDER BY seq LIMIT ${pageRows}`);
  let anchor = readAnchor(db);
  let last = anchor;
  let checked = 0;
  for (;;) {
    const start = readAnchor(db);
    // Old rows were removed since the last page: the chain starts elsewhere now, and so does its check.
    if (start.seq !== anchor.seq || start.hash !== anchor.hash) [anchor, last, checked] = [start, start, 0];
    if (checked === 0) {
      const firstBroken = rowBefore(db, anchor);
      if (firstBroken !== null) return { ok: false, checked, firstBroken };
    }
    const rows = page.all(last.seq);
    for (const row of rows) {
      const firstBroken = brokenLink(last, row);
      if (firstBroken !== null) return { ok: false, checked, firstBroken };
      last = { seq: Number(row['seq']), hash: String(row['hash']) };
      checked += 1;
    }
    // The last page and the head are read in one turn, so that no row can come between them.
    if (rows.length < pageRows) break;
    await turn();
    signal?.throwIfAborted();
  }
  const firstBroken = brokenEnd(readHead(db), last, checked);
  return firstBroken === null ? { ok: true, checked } : { ok: false, checked, firstBroken };
}

function rowBefore(db: Database, anchor: Anchor): Broken | null {
  const first = db.prepare('SELECT seq, id FROM calls WHERE seq <= ? ORDER BY seq LIMIT 1').get(anchor.seq);
  if (first === undefined) return null;
  const reason = 'it has the number of a row that was removed long ago';
  return { seq: Number(first['seq']), id: String(first['id']), reason };
}

const HASHES = [chainHash, formerChainHash];

function brokenLink(last: Anchor, row: Row): Broken | null {
  const seq = Number(row['seq']);
  const columns = columnsOfRow(row);
  if (seq !== last.seq + 1) return missing(last.seq + 1, seq - 1);
  if (row['prev_hash'] !== last.hash) return { seq, id: columns.id, reason: 'it does not follow the row before it' };
  if (HASHES.some((hashOf) => row['hash'] === hashOf(last.hash, seq, columns))) return null;
  return { seq, id: columns.id, reason: 'its content was changed' };
}

function brokenEnd(head: Head | null, last: Anchor, checked: number): Broken | null {
  const at = (seq: number, reason: string): Broken => ({ seq, id: null, reason });
  if (head === null) return checked === 0 ? null : at(last.seq, 'the record of the newest row is missing');
  if (head.seq > last.seq) return missing(last.seq + 1, head.seq);
  if (head.seq < last.seq) return at(head.seq + 1, 'Forge did not write this row');
  if (head.hash === last.hash && head.count === checked) return null;
  return at(last.seq, 'it is not the newest row that Forge wrote');
}

function missing(first: number, last: number): Broken {
  const rows = first === last ? `row ${first} is` : `the rows from ${first} to ${last} are`;
  return { seq: first, id: null, reason: `${rows} missing` };
}

function readLink(db: Database, key: string): Record<string, unknown> | null {
  const text = getMeta(db, key);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && typeof value['seq'] === 'number' && typeof value['hash'] === 'string' ? value : null;
  } catch {
    // Not what Forge writes, so it counts as missing and the check of the chain reports it.
    return null;
  }
}

function linkOf(read: Record<string, unknown>): Anchor {
  return { seq: Number(read['seq']), hash: String(read['hash']) };
}
