import { createCipheriv, createDecipheriv } from 'node:crypto';
import { secretsUnreadable } from './unreadable.ts';

const ALGORITHM = 'aes-256-gcm';

export const KEY_BYTES = 32;
export const IV_BYTES = 12;
export const TAG_BYTES = 16;

/** AES-256-GCM with the one IV length and the one tag length that Forge allows. */
export function encrypt(
  key: Uint8Array,
  iv: Uint8Array,
  additional: Uint8Array,
  plain: Uint8Array,
): { ciphertext: Buffer; tag: Buffer } {
  checkLengths(key, iv);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(additional);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return { ciphertext, tag: cipher.getAuthTag() };
}

/** Returns the plain bytes only when key, IV, additional data, ciphertext and tag all belong together. */
export function decrypt(
  key: Uint8Array,
  iv: Uint8Array,
  additional: Uint8Array,
  ciphertext: Uint8Array,
  tag: Uint8Array,
): Buffer {
  checkLengths(key, iv);
  // A shorter tag would be accepted by GCM itself and is far easier to forge.
  if (tag.length !== TAG_BYTES) throw secretsUnreadable(`the tag has ${tag.length} bytes instead of ${TAG_BYTES}`);
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(additional);
  decipher.setAuthTag(tag);
  const plain = decipher.update(ciphertext);
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch (error) {
    throw secretsUnreadable('the stored value was changed, or moved here from another field', error);
  }
}

function checkLengths(key: Uint8Array, iv: Uint8Array): void {
  if (key.length !== KEY_BYTES) throw secretsUnreadable(`the key has ${key.length} bytes instead of ${KEY_BYTES}`);
  if (iv.length !== IV_BYTES) throw secretsUnreadable(`the IV has ${iv.length} bytes instead of ${IV_BYTES}`);
}
