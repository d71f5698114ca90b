import { ForgeError, isForgeError } from '../../shared/errors.ts';
import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import { readKeyRecord, recordKey, recordRetired } from './key-record.ts';
import type { KeyStore } from './key-store.ts';
import { currentKey, withNewCurrent, withoutKeys, type Key, type KeyId, type Keyring } from './keyring.ts';
import { keysInUse } from './sealed-values.ts';
import { openText, sealText } from './vault.ts';

/** Seals a value anew for its place; what is Forge's `own`, and no secret of a person, is not counted. */
export type Reseal = (sealed: string, place: string, own?: 'own') => string;

/** Calls `reseal` for every sealed value there is and stores what it returns; runs inside one transaction. */
export type ResealAll = (reseal: Reseal) => void;

export interface Rotation {
  readonly from: KeyId;
  readonly to: KeyId;
  readonly count: number;
  /** Keys that no stored value needs any more but that only a person can take away (FORGE_ENCRYPTION_KEY). */
  readonly removable: readonly KeyId[];
}

interface KeyPlace {
  readonly db: Database;
  readonly keyStore: KeyStore;
}

/** Step 1: the keyring to rotate to, kept for good with all older keys in it before anything is sealed with it. */
export async function addKey(place: KeyPlace, keyring: Keyring, makeKey: () => Key): Promise<Keyring> {
  const { db, keyStore } = place;
  if (!keyStore.isWritable) {
    // The person has put a new key first, or has not: with one key alone, `write` explains how.
    if (keyring.keys.size === 1) await keyStore.write(keyring);
    return keyring;
  }
  const recorded = readKeyRecord(db).keyId;
  // An earlier rotation got this far and no further: its key is used now instead of one more.
  if (recorded !== null && recorded !== keyring.current) return keyring;
  const extended = withNewCurrent(keyring, makeKey());
  await keyStore.write(extended);
  return extended;
}

/** Step 2: everything is sealed with the current key, and the others are marked as replaced, in one transaction. */
export function resealEverything(place: KeyPlace, keyring: Keyring, resealAll: ResealAll): Rotation {
  const { db, keyStore } = place;
  const key = currentKey(keyring);
  const from = readKeyRecord(db).keyId ?? key.id;
  let count = 0;
  const unused = transaction(db, () => {
    resealAll((sealed, where, own) => {
      if (own === undefined) count += 1;
      return sealText(key, openText(keyring, sealed, where), where);
    });
    recordKey(db, key.id, keyStore.kind);
    const used = keysInUse(db);
    const replaced = [...keyring.keys.keys()].filter((id) => id !== key.id && !used.has(id));
    if (keyStore.isWritable) recordRetired(db, replaced);
    return replaced;
  });
  return { from, to: key.id, count, removable: keyStore.isWritable ? [] : unused };
}

/** Step 3, also made at a start after an interrupted rotation: takes replaced keys that nothing needs out of the key store. */
export async function dropRetiredKeys(place: KeyPlace, keyring: Keyring): Promise<Keyring> {
  const { db, keyStore } = place;
  const { retired } = readKeyRecord(db);
  if (retired.length === 0 || !keyStore.isWritable) return keyring;
  const used = keysInUse(db);
  const reduced = withoutKeys(
    keyring,
    retired.filter((id) => !used.has(id)),
  );
  if (reduced.keys.size < keyring.keys.size) await writeReduced(keyStore, reduced);
  transaction(db, () => recordRetired(db, []));
  return reduced;
}

async function writeReduced(keyStore: KeyStore, reduced: Keyring): Promise<void> {
  try {
    await keyStore.write(reduced);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ForgeError(
      isForgeError(error) ? error.code : 'secrets_unreadable',
      `every secret is sealed with key ${reduced.current}, but the older keys are still in ${keyStore.describe()}: ${reason}`,
      { hint: 'All secrets can be read. The next start or the next rotation removes the older keys.', cause: error },
    );
  }
}
