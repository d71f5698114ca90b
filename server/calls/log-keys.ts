import { randomBytes } from 'node:crypto';
import { isRecord } from '../../shared/json.ts';
import { readKeyRecord } from '../secrets/key-record.ts';
import type { Reseal } from '../secrets/rotation.ts';
import { countSealedByKey } from '../secrets/sealed-values.ts';
import { sealPlace } from '../secrets/seal-place.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { versionFound } from '../store/database.ts';
import { CALL_LOG_VERSION } from '../store/migrations.ts';
import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import { chainKeysOf, linkIn, readAnchor, readHead, START, type ChainKeys, type Link } from './chain.ts';

/** The rows after `after` carry hashes of these keys. */
export interface KeySegment {
  after: Link;
  /** Where the chain started when the key was made; null when the record does not open. */
  anchor: Link | null;
  /** Null when the vault does not open the record. */
  keys: ChainKeys | null;
}

export interface LogKeys {
  /** In the order of their rows. */
  segments: readonly KeySegment[];
  /** What rows are written with; null while secrets cannot be read. */
  current: ChainKeys | null;
  /** True when this very start made the key. */
  isNew: boolean;
  /** There must have been a key and rows before: somebody has removed all of them. */
  isEmptied?: boolean;
}

type Vault = Pick<Secrets, 'state' | 'prepare' | 'seal' | 'open'>;

interface LogKeysOptions {
  db: Database;
  secrets: Vault;
  makeSecret?: () => Buffer;
}

const SECRET_BYTES = 32;

/**
 * Opens the keys of the call log. They are random, sealed in the vault, and stay the same when the vault's own key is rotated. Together with
 * a key its place in the chain is sealed, so that nobody can pretend that rows were written before there was one. A key that does not open
 * is never replaced silently: its rows are reported as such.
 */
export async function openLogKeys({ db, secrets, makeSecret }: LogKeysOptions): Promise<LogKeys> {
  if (secrets.state === 'empty') {
    // Where no key can be made, rows are marked as written without one.
    await secrets.prepare().catch(() => undefined);
  }
  const segments = readSegments(db, secrets);
  const last = segments.at(-1);
  if (last !== undefined && last.keys !== null) return { segments, current: last.keys, isNew: false };
  if (secrets.state !== 'ready') return { segments, current: null, isNew: false };
  const isEmptied = last === undefined && hasBeenEmptied(db);
  const made = makeSegment(db, secrets, makeSecret ?? (() => randomBytes(SECRET_BYTES)));
  return { segments: [...segments, made], current: made.keys, isNew: true, isEmptied };
}

/**
 * The log's key is the first thing that a data dir ever seals. So one that has sealed something, holds neither that key nor a row, and was not made by a Forge from before
 * the key, has lost both.
 */
function hasBeenEmptied(db: Database): boolean {
  if (versionFound(db) < CALL_LOG_VERSION || readHead(db) !== null || readAnchor(db).seq > 0) return false;
  return readKeyRecord(db).keyId !== null || countSealedByKey(db).size > 0;
}

/** Hands every sealed key to `reseal` and stores what comes back; the caller holds the transaction. */
export function resealLogKeys(db: Database, reseal: Reseal): void {
  const update = db.prepare('UPDATE call_log_keys SET sealed = ? WHERE id = ?');
  for (const row of db.prepare('SELECT id, sealed FROM call_log_keys').all()) {
    const id = Number(row['id']);
    try {
      update.run(reseal(String(row['sealed']), placeOf(id), 'own'), id);
    } catch {
      // One that did not open before does not open now either; its rows are reported as such.
    }
  }
}

function readSegments(db: Database, secrets: Vault): KeySegment[] {
  return db
    .prepare('SELECT * FROM call_log_keys ORDER BY after_seq, id')
    .all()
    .map((row) => {
      const closed: KeySegment = { after: { seq: Number(row['after_seq']), hash: '' }, anchor: null, keys: null };
      return opened(secrets, String(row['sealed']), Number(row['id'])) ?? closed;
    });
}

function opened(secrets: Vault, sealed: string, id: number): KeySegment | null {
  try {
    const record: unknown = JSON.parse(secrets.open(sealed, placeOf(id)).reveal());
    if (!isRecord(record) || typeof record['secret'] !== 'string') return null;
    const after = linkIn(record['after']);
    const anchor = linkIn(record['anchor']);
    if (after === null || anchor === null) return null;
    return { after, anchor, keys: chainKeysOf(Buffer.from(record['secret'], 'base64')) };
  } catch {
    // The vault says why under Settings; here it matters only that these rows cannot be checked.
    return null;
  }
}

function makeSegment(db: Database, secrets: Vault, makeSecret: () => Buffer): KeySegment {
  const secret = makeSecret();
  return transaction(db, () => {
    const head = readHead(db);
    const after: Link = head === null ? START : { seq: head.seq, hash: head.hash };
    const anchor = readAnchor(db);
    const id = Number(db.prepare('SELECT max(id) AS id FROM call_log_keys').get()?.['id'] ?? 0) + 1;
    const record = JSON.stringify({ secret: secret.toString('base64'), after, anchor });
    const add = db.prepare('INSERT INTO call_log_keys (id, after_seq, sealed) VALUES (?, ?, ?)');
    add.run(id, after.seq, secrets.seal(record, placeOf(id)));
    return { after, anchor, keys: chainKeysOf(secret) };
  });
}

function placeOf(id: number): string {
  return sealPlace({ connectorId: '', path: ['call log key'], rowIds: [String(id)] });
}
