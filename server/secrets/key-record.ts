import { getMeta, setMeta } from '../store/meta.ts';
import type { Database } from '../store/sqlite.ts';
import type { KeyStoreKind } from './key-store.ts';
import type { KeyId } from './keyring.ts';

/** What the data dir itself remembers about its keys, so that a foreign or missing key is noticed before anything is sealed. */
export interface KeyRecord {
  /** The key that sealed last; null when nothing was ever sealed. */
  readonly keyId: KeyId | null;
  readonly store: string | null;
  /** Keys that a finished rotation has replaced and that may leave the key store. */
  readonly retired: readonly KeyId[];
}

export function readKeyRecord(db: Database): KeyRecord {
  const retired = getMeta(db, 'retired_keys');
  return {
    keyId: getMeta(db, 'key_id'),
    store: getMeta(db, 'key_store'),
    retired: retired === null ? [] : retired.split(','),
  };
}

/** Remembers the sealing key and where it is kept; part of the transaction that stores the sealed value. */
export function recordKey(db: Database, keyId: KeyId, store: KeyStoreKind): void {
  setMeta(db, 'key_id', keyId);
  setMeta(db, 'key_store', store);
}

export function recordRetired(db: Database, retired: readonly KeyId[]): void {
  setMeta(db, 'retired_keys', retired.length === 0 ? null : retired.join(','));
}
