import { ForgeError } from '../../shared/errors.ts';
import { KEY_BYTES } from './aes-gcm.ts';
import type { KeyStore } from './key-store.ts';
import { keyOf, keyringOf, type Key, type Keyring } from './keyring.ts';
import { secretsUnreadable } from './unreadable.ts';

const VARIABLE = 'FORGE_ENCRYPTION_KEY';

const ENCODINGS = ['hex', 'base64', 'base64url'] as const;

/** Takes the keys from FORGE_ENCRYPTION_KEY: the first one seals, those after a comma only open. */
export function envKeyStore(value: string | undefined): KeyStore {
  return {
    kind: 'env',
    isWritable: false,
    describe: () => VARIABLE,
    read: () => Promise.resolve(value).then(parseKeys),
    write: () =>
      Promise.reject(
        new ForgeError('key_invalid', `Forge cannot change ${VARIABLE}`, {
          hint: `To rotate, put a new key first and keep the old one behind it: ${VARIABLE}=<new>,<old>. Then start Forge again and rotate.`,
        }),
      ),
  };
}

function parseKeys(value: string | undefined): Keyring {
  if (value === undefined) throw secretsUnreadable(`they were sealed with the key in ${VARIABLE}, which is not set`);
  const [current, ...others] = value.split(',').map((entry, index) => parseKey(entry.trim(), index + 1));
  if (current === undefined) throw keyInvalid(`${VARIABLE} is empty`);
  return keyringOf(current, ...others);
}

function parseKey(entry: string, position: number): Key {
  for (const encoding of ENCODINGS) {
    const bytes = Buffer.from(entry, encoding);
    // Node decodes leniently, so only a text that encodes back to itself counts.
    if (bytes.length === KEY_BYTES && isSpelling(entry, bytes, encoding)) return keyOf(bytes);
  }
  throw keyInvalid(`key ${position} in ${VARIABLE} is not 32 bytes of base64 or hex`);
}

function isSpelling(entry: string, bytes: Buffer, encoding: (typeof ENCODINGS)[number]): boolean {
  const spelled = bytes.toString(encoding);
  if (encoding === 'hex') return entry.toLowerCase() === spelled;
  return entry.replace(/=$/, '') === spelled.replace(/=$/, '');
}

function keyInvalid(message: string): ForgeError {
  return new ForgeError('key_invalid', message);
}
