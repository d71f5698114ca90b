import { createHash, randomBytes } from 'node:crypto';
import { ForgeError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { KEY_BYTES } from './aes-gcm.ts';

/** Sixteen hex digits that name a key without telling anything about it. */
export type KeyId = string;

export interface Key {
  readonly id: KeyId;
  readonly bytes: Buffer;
}

/** The key that seals, and the older ones that still open what they sealed. */
export interface Keyring {
  readonly current: KeyId;
  readonly keys: ReadonlyMap<KeyId, Buffer>;
}

type RandomBytes = (size: number) => Buffer;

const KEY_ID = /^[0-9a-f]{16}$/;

export function keyOf(bytes: Buffer): Key {
  const id = createHash('sha256').update('forge key id\0').update(bytes).digest('hex').slice(0, 16);
  return { id, bytes };
}

export function newKey(random: RandomBytes = randomBytes): Key {
  return keyOf(random(KEY_BYTES));
}

/** A keyring of these keys; the first one seals. */
export function keyringOf(current: Key, ...others: readonly Key[]): Keyring {
  return { current: current.id, keys: new Map([current, ...others].map((key) => [key.id, key.bytes])) };
}

/** Adds a key that seals from now on; all others stay for opening. */
export function withNewCurrent(keyring: Keyring, key: Key): Keyring {
  return { current: key.id, keys: new Map([...keyring.keys, [key.id, key.bytes]]) };
}

/** Drops keys; the current one always stays. */
export function withoutKeys(keyring: Keyring, ids: readonly KeyId[]): Keyring {
  const kept = [...keyring.keys].filter(([id]) => id === keyring.current || !ids.includes(id));
  return { current: keyring.current, keys: new Map(kept) };
}

export function currentKey(keyring: Keyring): Key {
  const bytes = keyring.keys.get(keyring.current);
  if (bytes === undefined) throw keyInvalid('the keyring', 'its current key is missing');
  return { id: keyring.current, bytes };
}

export function serialiseKeyring(keyring: Keyring): string {
  const keys = Object.fromEntries([...keyring.keys].map(([id, bytes]) => [id, bytes.toString('base64')]));
  return `${JSON.stringify({ v: 1, current: keyring.current, keys })}\n`;
}

/** Reads what `serialiseKeyring` wrote; `origin` says in messages where it came from. Messages never hold key material. */
export function parseKeyring(text: string, origin: string): Keyring {
  const document = parseJson(text, origin);
  if (!isRecord(document) || Object.keys(document).some((name) => !['v', 'current', 'keys'].includes(name))) {
    throw keyInvalid(origin, 'it is not a keyring of Forge');
  }
  if (document['v'] !== 1) throw keyInvalid(origin, 'its version is not known to this Forge');
  const { current, keys: entries } = document;
  if (!isRecord(entries)) throw keyInvalid(origin, 'it has no list of keys');
  const keys = new Map(Object.entries(entries).map(([id, value]) => [id, parseEntry(id, value, origin)]));
  if (typeof current !== 'string' || !keys.has(current)) throw keyInvalid(origin, 'its current key is missing');
  return { current, keys };
}

function parseEntry(id: string, value: unknown, origin: string): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'base64') : Buffer.alloc(0);
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== value) {
    throw keyInvalid(origin, 'one of its keys is not 32 bytes of base64');
  }
  if (!KEY_ID.test(id) || keyOf(bytes).id !== id) throw keyInvalid(origin, 'one of its keys does not fit its id');
  return bytes;
}

function parseJson(text: string, origin: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own error quotes the text, and the text is key material.
    throw keyInvalid(origin, 'it is not JSON');
  }
}

function keyInvalid(origin: string, reason: string): ForgeError {
  return new ForgeError('key_invalid', `the encryption key in ${origin} cannot be used: ${reason}`, {
    hint: 'Put the original back, for example from a backup. Forge has not changed it.',
  });
}
