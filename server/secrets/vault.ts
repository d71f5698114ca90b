import { randomBytes } from 'node:crypto';
import { ForgeError } from '../../shared/errors.ts';
import { decrypt, encrypt, IV_BYTES, TAG_BYTES } from './aes-gcm.ts';
import type { Key, KeyId, Keyring } from './keyring.ts';
import { secretsUnreadable } from './unreadable.ts';

const SEALED = /^forge1\.([0-9a-f]{16})\.([A-Za-z0-9_-]+)$/;

type RandomBytes = (size: number) => Buffer;

/**
 * Encrypts a text for one place: `forge1.<key id>.<base64url of IV, ciphertext and tag>`.
 * Half a surrogate pair has no UTF-8 form and could never be sent anywhere, so it is refused rather than altered.
 */
export function sealText(key: Key, text: string, place: string, random: RandomBytes = randomBytes): string {
  const plain = Buffer.from(text, 'utf8');
  if (plain.toString('utf8') !== text) {
    throw new ForgeError('invalid_settings', 'the secret holds half a character (a lone surrogate) and was not saved', {
      hint: 'Copy the secret again from where it was issued.',
    });
  }
  const iv = random(IV_BYTES);
  const { ciphertext, tag } = encrypt(key.bytes, iv, Buffer.from(place, 'utf8'), plain);
  return `forge1.${key.id}.${Buffer.concat([iv, ciphertext, tag]).toString('base64url')}`;
}

/** Decrypts what `sealText` made for this very place; everything else is an error, never an empty text. */
export function openText(keyring: Keyring, sealed: string, place: string): string {
  const { keyId, body } = decode(sealed);
  const key = keyring.keys.get(keyId);
  if (key === undefined) throw secretsUnreadable(`the value was sealed with key ${keyId}, which is not there`);
  const iv = body.subarray(0, IV_BYTES);
  const ciphertext = body.subarray(IV_BYTES, body.length - TAG_BYTES);
  const tag = body.subarray(body.length - TAG_BYTES);
  return decrypt(key, iv, Buffer.from(place, 'utf8'), ciphertext, tag).toString('utf8');
}

/** The key a sealed value needs, or null when the text is not a sealed value at all. */
export function sealedKeyId(text: string): KeyId | null {
  return SEALED.exec(text)?.[1] ?? null;
}

function decode(sealed: string): { keyId: KeyId; body: Buffer } {
  const [, keyId, encoded] = SEALED.exec(sealed) ?? [];
  if (keyId === undefined || encoded === undefined) throw secretsUnreadable('the stored value has an unknown format');
  const body = Buffer.from(encoded, 'base64url');
  // Node decodes leniently; one value must have exactly one spelling.
  if (body.toString('base64url') !== encoded) throw secretsUnreadable('the stored value is not canonical base64url');
  if (body.length < IV_BYTES + TAG_BYTES) throw secretsUnreadable('the stored value is too short');
  return { keyId, body };
}
