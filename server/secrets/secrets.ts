import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { FORGE } from '../../shared/forge-command.ts';
import { Secret } from '../../shared/secret.ts';
import type { Database } from '../store/sqlite.ts';
import { readKeyRecord, recordKey } from './key-record.ts';
import type { KeyStore, KeyStoreKind } from './key-store.ts';
import { currentKey, keyringOf, newKey, type Key, type KeyId, type Keyring } from './keyring.ts';
import { addKey, dropRetiredKeys, resealEverything, type ResealAll, type Rotation } from './rotation.ts';
import { countSealedByKey } from './sealed-values.ts';
import { serially } from './serially.ts';
import { secretsUnreadable } from './unreadable.ts';
import { openText, sealText } from './vault.ts';

const LOST_KEY_HINT = `Bring the key back. If it is lost, remove the saved secrets (\`${FORGE} connector settings ID --unset NAME\`) and enter them again.`;

/** `empty`: no key was made yet, because nothing was ever sealed. */
type Held =
  | { readonly state: 'ready'; readonly keyring: Keyring }
  | { readonly state: 'empty' }
  | { readonly state: 'unreadable'; readonly reason: string; readonly cause?: unknown };

interface KeyStatus {
  readonly id: KeyId;
  readonly current: boolean;
  /** False for a key that stored values need and the key store does not have. */
  readonly available: boolean;
  readonly sealedCount: number;
}

interface SecretsStatus {
  readonly store: KeyStoreKind;
  readonly description: string;
  readonly state: Held['state'];
  /** Why secrets cannot be read, or what is left to do although they can. */
  readonly reason?: string;
  readonly keyId?: KeyId;
  readonly keys: readonly KeyStatus[];
}

export interface Secrets {
  readonly state: Held['state'];
  /** To be awaited before sealing: makes the first key where there is none, and rejects when secrets are unreadable. */
  prepare(): Promise<void>;
  /** Call it in the transaction that stores the value, so that a rotation cannot come in between. */
  seal(text: string, place: string): string;
  open(sealed: string, place: string): Secret;
  status(): SecretsStatus;
  rotate(resealAll: ResealAll): Promise<Rotation>;
}

interface SecretsOptions {
  readonly db: Database;
  readonly keyStore: KeyStore;
  readonly makeKey?: () => Key;
}

/** Opens the secrets of a data dir. A key that does not fit is a state to be shown, not a reason to stop or to make another key. */
export async function openSecrets(options: SecretsOptions): Promise<Secrets> {
  const { db, keyStore, makeKey = newKey } = options;
  let held = await load(db, keyStore);
  let unfinished: string | undefined;
  const inTurn = serially();

  if (held.state === 'ready') {
    try {
      held = { state: 'ready', keyring: await dropRetiredKeys(options, held.keyring) };
    } catch (error) {
      unfinished = messageOf(error);
    }
  }

  const ready = (): Keyring => {
    if (held.state === 'ready') return held.keyring;
    throw held.state === 'empty' ? secretsUnreadable('there is no key yet') : unreadable(held);
  };

  const prepare = async (): Promise<Keyring> => {
    if (held.state === 'ready') return held.keyring;
    // Asked again each time: a keychain may be unlocked by now, and a first key may have got there although its write failed.
    held = await load(db, keyStore);
    if (held.state === 'empty') {
      const keyring = keyringOf(makeKey());
      await keyStore.write(keyring);
      held = { state: 'ready', keyring };
    }
    return ready();
  };

  const rotate = async (resealAll: ResealAll): Promise<Rotation> => {
    if (held.state === 'unreadable') held = await load(db, keyStore);
    if (held.state === 'empty') {
      throw new ForgeError('key_invalid', 'there is no key yet, so there is nothing to rotate', {
        hint: 'The first key is made when the first secret is saved.',
      });
    }
    const keyring = await addKey(options, ready(), makeKey);
    held = { state: 'ready', keyring };
    const rotation = resealEverything(options, keyring, resealAll);
    held = { state: 'ready', keyring: await dropRetiredKeys(options, keyring) };
    unfinished = undefined;
    return rotation;
  };

  return {
    get state() {
      return held.state;
    },
    prepare: () => inTurn(prepare).then(() => undefined),
    seal: (text, place) => {
      const key = currentKey(ready());
      const record = readKeyRecord(db);
      if (record.keyId !== key.id || record.store !== keyStore.kind) recordKey(db, key.id, keyStore.kind);
      return sealText(key, text, place);
    },
    open: (sealed, place) => new Secret(openText(ready(), sealed, place)),
    status: () => statusOf(db, keyStore, held, unfinished),
    rotate: (resealAll) => inTurn(() => rotate(resealAll)),
  };
}

async function load(db: Database, keyStore: KeyStore): Promise<Held> {
  let keyring: Keyring | null;
  try {
    keyring = await keyStore.read();
  } catch (error) {
    return { state: 'unreadable', reason: messageOf(error), cause: error };
  }
  const { keyId } = readKeyRecord(db);
  // Once no stored value needs the missing key, because a person removed them all, it is of no more concern.
  const isNeeded = keyId !== null && countSealedByKey(db).size > 0;
  if (isNeeded && keyring?.keys.has(keyId) !== true) {
    const found = keyring === null ? 'no key' : [...keyring.keys.keys()].join(', ');
    const reason = `the key this data dir was sealed with (${keyId}) is not in ${keyStore.describe()}; that holds ${found}`;
    return { state: 'unreadable', reason };
  }
  return keyring === null ? { state: 'empty' } : { state: 'ready', keyring };
}

function statusOf(db: Database, keyStore: KeyStore, held: Held, unfinished: string | undefined): SecretsStatus {
  const counts = countSealedByKey(db);
  const keyring = held.state === 'ready' ? held.keyring : undefined;
  const keyId = keyring?.current ?? readKeyRecord(db).keyId;
  const ids = new Set([...(keyring?.keys.keys() ?? []), ...(keyId === null ? [] : [keyId]), ...counts.keys()]);
  const reason = held.state === 'unreadable' ? held.reason : unfinished;
  return {
    store: keyStore.kind,
    description: keyStore.describe(),
    state: held.state,
    ...(reason === undefined ? {} : { reason }),
    ...(keyId === null ? {} : { keyId }),
    keys: [...ids].map((id) => ({
      id,
      current: id === keyId,
      available: keyring?.keys.has(id) === true,
      sealedCount: counts.get(id) ?? 0,
    })),
  };
}

function unreadable(held: Extract<Held, { state: 'unreadable' }>): ForgeError {
  const hint = isForgeError(held.cause) ? held.cause.hint : LOST_KEY_HINT;
  return secretsUnreadable(held.reason, held.cause, hint);
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^secrets cannot be read: /, '');
}
