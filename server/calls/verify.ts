import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StopSignal } from '../../shared/stop-signal.ts';
import type { Database, Row } from '../store/sqlite.ts';
import { columnsOfRow, NOTE } from './call.ts';
import { isSameLink, readAnchor, readHead, rowHash, type Head, type Link } from './chain.ts';
import { readHeadFile } from './head-file.ts';
import { checkHash, isBoundaryBroken } from './key-segments.ts';
import type { KeySegment } from './log-keys.ts';
import { prunedIn, type Pruned } from './notes.ts';
import { isRemoving } from './prune.ts';

/** Where the log was changed by somebody else. */
interface Broken {
  seq: number;
  /** Null for a row that is missing. */
  id: string | null;
  reason: string;
}

export interface Verification {
  ok: boolean;
  /** Rows that hold. */
  checked: number;
  /** How many calls those are: one that changes something has two rows. */
  calls: number;
  /** Rows from before the log had a key. Their chain holds, but whoever can write the database can rewrite them. */
  keyless: number;
  /** The same for rows that were written while the key could not be read. */
  unkeyed: number;
  /** Calls that have not ended. */
  open: number;
  /** The newest row, short enough to be written down; null for an empty log. */
  head: string | null;
  /** What Forge itself has removed, the newest first. */
  pruned: Pruned[];
  /** Set when a head was given to compare with whose row has been pruned since. */
  sincePruned?: true;
  firstBroken?: Broken;
}

export interface VerifyOptions {
  segments: readonly KeySegment[];
  headFile: string;
  /** Heads that were recorded elsewhere, and where. */
  recorded?: readonly { where: string; head: Link | 'foreign' }[];
  /** A head that somebody has written down. */
  since?: string | undefined;
  /** Lets other work have its turn; between two pages the log may grow, and lose its oldest rows. */
  turn?: () => Promise<unknown>;
  signal?: StopSignal | undefined;
  pageRows?: number;
}

const PAGE_ROWS = 200;
const SHORT_CHARS = 16;
const MAX_PRUNED = 20;

/** A row as a person can write it down: its number and the start of its hash. */
function shortHead({ seq, hash }: Link): string {
  return `${seq}:${hash.replace(/^\w+:/, '').slice(0, SHORT_CHARS)}`;
}

export function isShortHead(text: string): boolean {
  return /^\d{1,15}:[0-9a-f]{16}$/i.test(text);
}

/** Follows the chain from the anchor to the head, page by page, and reports the first place where it does not hold. */
export async function verifyChain(db: Database, options: VerifyOptions): Promise<Verification> {
  const { turn = nextTurn, signal, pageRows = PAGE_ROWS } = options;
  let walk = new Walk(readAnchor(db), options.segments);
  for (;;) {
    const page = readPage(db, walk.last, pageRows);
    // Old rows were removed since the last page: the chain starts elsewhere now, and so does its check.
    if (!isSameLink(page.anchor, walk.anchor)) {
      walk = new Walk(page.anchor, options.segments);
      continue;
    }
    const broken = page.before ?? walk.follow(page.rows);
    if (broken !== null) return walk.outcome(page.head, broken);
    // The last page, the head and the open calls are read as of one moment, so that no row can come between them.
    if (page.rows.length < pageRows) return finish(db, walk, page, options);
    await turn();
    signal?.throwIfAborted();
  }
}

function finish(db: Database, walk: Walk, page: Page, options: VerifyOptions): Verification {
  const broken = walk.end(page) ?? brokenRecord(db, walk, options);
  const since = broken === null && options.since !== undefined ? compareNoted(db, walk, options.since) : null;
  if (since === 'pruned') return { ...walk.outcome(page.head, null), sincePruned: true };
  return walk.outcome(page.head, broken ?? since);
}

interface Page {
  anchor: Link;
  rows: Row[];
  head: Head | null;
  open: ReadonlySet<string>;
  /** A row that is there although it was pruned. */
  before: Broken | null;
}

function readPage(db: Database, last: Link, pageRows: number): Page {
  db.exec('BEGIN');
  try {
    const anchor = readAnchor(db);
    return {
      anchor,
      rows: db.prepare(`SELECT * FROM calls WHERE seq > ? ORDER BY seq LIMIT ${pageRows}`).all(last.seq),
      head: readHead(db),
      open: new Set(db.prepare('SELECT id FROM open_calls').all().map(({ id }) => String(id))), // prettier-ignore
      before: isRemoving(db) ? null : rowBefore(db, anchor),
    };
  } finally {
    db.exec('COMMIT');
  }
}

function rowBefore(db: Database, anchor: Link): Broken | null {
  const first = db.prepare('SELECT seq, id FROM calls WHERE seq <= ? ORDER BY seq LIMIT 1').get(anchor.seq);
  if (first === undefined) return null;
  const reason = 'it has the number of a row that was removed long ago';
  return { seq: Number(first['seq']), id: String(first['id']), reason };
}

/** What was found on the way from the anchor to the newest row. */
class Walk {
  readonly anchor: Link;
  last: Link;
  readonly #segments: readonly KeySegment[];
  readonly #open = new Map<string, number>();
  readonly #pruned: Pruned[] = [];
  /** Where the chain must start, by the newest record of it that nobody can forge. */
  #start: { known: Link; at: number } | null = null;
  #counts = { checked: 0, calls: 0, keyless: 0, unkeyed: 0 };

  constructor(anchor: Link, segments: readonly KeySegment[]) {
    this.anchor = anchor;
    this.last = anchor;
    this.#segments = segments;
    for (const { anchor: known, after } of segments) if (known !== null) this.#start = { known, at: after.seq };
  }

  follow(rows: readonly Row[]): Broken | null {
    for (const row of rows) {
      const broken = this.#follow(row);
      if (broken !== null) return broken;
    }
    return null;
  }

  #follow(row: Row): Broken | null {
    const seq = Number(row['seq']);
    const columns = columnsOfRow(row);
    const because = (reason: string): Broken => ({ seq, id: columns.id, reason });
    if (seq !== this.last.seq + 1) return missing(this.last.seq + 1, seq - 1);
    if (isBoundaryBroken(this.#segments, this.last)) return because('what comes before it was changed');
    if (row['prev_hash'] !== this.last.hash) return because('it does not follow the row before it');
    const kind = checkHash(this.#segments, this.last.hash, seq, columns, String(row['hash']));
    if (kind === 'changed') return because('its content was changed');
    if (kind === 'no key') return because('the key it was written with cannot be read');
    if (columns.outcome === NOTE && columns.code === 'head') return because(columns.message ?? '');
    this.last = { seq, hash: String(row['hash']) };
    this.#count(row, kind);
    return null;
  }

  #count(row: Row, kind: 'keyed' | 'keyless' | 'unkeyed'): void {
    this.#counts.checked += 1;
    if (kind !== 'keyed') this.#counts[kind] += 1;
    const id = String(row['id']);
    const prune = prunedIn(row);
    if (prune !== null) {
      this.#pruned.unshift(prune.pruned);
      const at = Number(row['seq']);
      if (this.#start === null || this.#start.at < at) this.#start = { known: prune.last, at };
    }
    if (row['outcome'] === 'started') this.#open.set(id, Number(row['seq']));
    else if (row['outcome'] !== NOTE) {
      this.#open.delete(id);
      this.#counts.calls += 1;
    }
  }

  /** What must hold once every row was seen. */
  end({ head, open }: Page): Broken | null {
    if (this.#start !== null && !isSameLink(this.#start.known, this.anchor))
      return missing(this.#start.known.seq + 1, this.anchor.seq);
    const key = this.#segments.at(-1);
    if (key !== undefined && key.after.seq > this.last.seq) return missing(this.last.seq + 1, key.after.seq);
    if (isBoundaryBroken(this.#segments, this.last))
      return { seq: this.last.seq, id: null, reason: 'it was changed before the log had a key' };
    for (const [id, seq] of this.#open)
      if (!open.has(id)) return { seq, id, reason: 'it has begun, and somebody has hidden that it never ended' };
    return brokenEnd(head, this.last, this.#counts.checked);
  }

  outcome(head: Head | null, broken: Broken | null): Verification {
    return {
      ok: broken === null,
      ...this.#counts,
      open: this.#open.size,
      head: head === null ? null : shortHead(head),
      pruned: this.#pruned.slice(0, MAX_PRUNED),
      ...(broken === null ? {} : { firstBroken: broken }),
    };
  }
}

function brokenEnd(head: Head | null, last: Link, checked: number): Broken | null {
  const at = (seq: number, reason: string): Broken => ({ seq, id: null, reason });
  if (head === null) return checked === 0 ? null : at(last.seq, 'the record of the newest row is missing');
  if (head.seq > last.seq) return missing(last.seq + 1, head.seq);
  if (head.seq < last.seq) return at(head.seq + 1, 'Forge did not write this row');
  if (head.hash === last.hash && head.count === checked) return null;
  return at(last.seq, 'it is not the newest row that Forge wrote');
}

/** Compares with what is recorded outside of the database. */
function brokenRecord(db: Database, walk: Walk, { segments, headFile, recorded = [] }: VerifyOptions): Broken | null {
  const keys = segments.at(-1)?.keys ?? null;
  const own = keys === null ? null : readHeadFile(headFile, keys.head);
  const at = (seq: number, reason: string): Broken => ({ seq, id: null, reason });
  if (own === 'missing') return at(walk.last.seq, `the record of the newest row, ${headFile}, is missing`);
  if (own === 'unreadable') return at(walk.last.seq, `the record of the newest row, ${headFile}, was changed`);
  const records = [...(own === null ? [] : [{ where: headFile, head: own }]), ...recorded];
  for (const { where, head } of records) {
    if (head === 'foreign') return at(walk.last.seq, `what ${where} knows of the log was made with another key`);
    if (head.seq > walk.last.seq) return missing(walk.last.seq + 1, head.seq, `, which ${where} knows of`);
    const found = rowHash(db, walk.anchor, head.seq);
    if (found !== null && found !== head.hash) return at(head.seq, `it is not the row that ${where} knows of`);
  }
  return null;
}

function compareNoted(db: Database, walk: Walk, noted: string): Broken | 'pruned' | null {
  const seq = Number(noted.split(':')[0]);
  if (seq > walk.last.seq) return missing(walk.last.seq + 1, seq, ', which you have noted');
  const found = rowHash(db, walk.anchor, seq);
  if (found === null) return 'pruned';
  if (shortHead({ seq, hash: found }) === noted.toLowerCase()) return null;
  return { seq, id: null, reason: 'it is not the row that you have noted' };
}

function missing(first: number, last: number, more = ''): Broken {
  const rows = first === last ? `row ${first} is` : `the rows from ${first} to ${last} are`;
  return { seq: first, id: null, reason: `${rows} missing${more}` };
}
