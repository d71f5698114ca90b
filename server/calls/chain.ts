import { createHmac, hash, hkdfSync } from 'node:crypto';
import { isRecord } from '../../shared/json.ts';
import { getMeta, setMeta } from '../store/meta.ts';
import type { Database } from '../store/sqlite.ts';
import type { CallColumns } from './call.ts';

/** A row by its number and its hash. */
export interface Link {
  seq: number;
  hash: string;
}

/** The newest row and how many there are, stored apart from the rows so that missing ones show. */
export interface Head extends Link {
  count: number;
}

/** The number and the hash before the first row. */
export const START: Link = { seq: 0, hash: '' };

const ANCHOR = 'calls_anchor';
const HEAD = 'calls_head';

/** What the hashes of rows, and the record of the newest one, are made with. */
export interface ChainKeys {
  rows: Buffer;
  head: Buffer;
}

/** One secret for two purposes: what authenticates one must not pass for the other. */
export function chainKeysOf(secret: Uint8Array): ChainKeys {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `forge call log: ${purpose}`, 32));
  return { rows: derive('rows'), head: derive('head') };
}

/** What a row's hash covers: its content and, through the hash before it, everything older. */
function content(previous: string, seq: number, columns: CallColumns): string {
  const { args, at, caller, code, connector_id, duration_ms, id, message, outcome, stages, tool_id, trace } = columns;
  const short = [previous, seq, id, at, caller, tool_id, connector_id, outcome, code, message, duration_ms];
  // No JSON has a zero byte in it. The long texts are JSON already, and writing them as JSON again takes longer than the hash.
  return `${JSON.stringify(short)}\0${args}\0${stages}\0${trace}`;
}

/** Whoever can write the database but does not have the key cannot make this hash. */
function keyedHash(key: Buffer, previous: string, seq: number, columns: CallColumns): string {
  return createHmac('sha256', key)
    .update(content(previous, seq, columns))
    .digest('hex');
}

/** Marks rows that were written while the key could not be read. Anybody can make such a hash, and the check reports how many there are. */
const UNKEYED = 'unkeyed:';

export function chainHash(key: Buffer | null, previous: string, seq: number, columns: CallColumns): string {
  if (key !== null) return keyedHash(key, previous, seq, columns);
  return UNKEYED + hash('sha256', content(previous, seq, columns), 'hex');
}

export function isUnkeyed(rowHash: string): boolean {
  return rowHash.startsWith(UNKEYED);
}

/** The hashes that rows had before the log had a key: of the same content, and at first of all columns as one JSON object. */
export function keylessHashes(previous: string, seq: number, columns: CallColumns): string[] {
  const { args, at, caller, code, connector_id, duration_ms, id, message, outcome, stages, tool_id, trace } = columns;
  const row = { args, at, caller, code, connector_id, duration_ms, id, message, outcome, seq, stages, tool_id, trace };
  return [
    hash('sha256', content(previous, seq, columns), 'hex'),
    hash('sha256', previous + JSON.stringify(row), 'hex'),
    chainHash(null, previous, seq, columns),
  ];
}

/** The head, or null when what is recorded about it is gone or unreadable. */
export function readHead(db: Database): Head | null {
  const read = readRecord(db, HEAD);
  const link = linkIn(read);
  return link !== null && isRecord(read) && typeof read['count'] === 'number'
    ? { ...link, count: read['count'] }
    : null;
}

export function writeHead(db: Database, head: Head): void {
  setMeta(db, HEAD, JSON.stringify(head));
}

/** The last row that was pruned: what is left of the chain starts behind it. */
export function readAnchor(db: Database): Link {
  return linkIn(readRecord(db, ANCHOR)) ?? START;
}

export function writeAnchor(db: Database, anchor: Link): void {
  setMeta(db, ANCHOR, JSON.stringify(anchor));
}

/** The hash of the row with this number; null for one that was pruned. */
export function rowHash(db: Database, anchor: Link, seq: number): string | null {
  if (seq <= anchor.seq) return seq === anchor.seq ? anchor.hash : null;
  return String(db.prepare('SELECT hash FROM calls WHERE seq = ?').get(seq)?.['hash']);
}

/** A link as somebody wrote it down, or null for anything else. */
export function linkIn(value: unknown): Link | null {
  if (!isRecord(value)) return null;
  const { seq, hash: rowHash } = value;
  return typeof seq === 'number' && typeof rowHash === 'string' ? { seq, hash: rowHash } : null;
}

export function isSameLink(a: Link, b: Link): boolean {
  return a.seq === b.seq && a.hash === b.hash;
}

function readRecord(db: Database, key: string): unknown {
  const text = getMeta(db, key);
  if (text === null) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not what Forge writes, so it counts as missing and the check of the chain reports it.
    return null;
  }
}
