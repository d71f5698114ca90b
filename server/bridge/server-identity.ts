import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  timingSafeEqual,
  verify,
  type KeyObject,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ForgeError } from '../../shared/errors.ts';
import { checkPrivateFile } from '../store/data-dir.ts';
import { writeFileDurably } from '../store/durable-files.ts';

/** WebCrypto writes a signature as two numbers of fixed length. */
const ENCODING = 'ieee-p1363';

export interface ServerIdentity {
  publicKey(): string;
  sign(text: string): string;
}

/** What this Forge proves itself by to its browsers. Made when the first one comes, kept in a private file beside the token. */
export function createServerIdentity(file: string): ServerIdentity {
  let loaded: { key: KeyObject; publicKey: string } | null = null;
  const load = () => {
    const key = readKey(file) ?? makeKey(file);
    const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
    return { key, publicKey: spki.toString('base64url') };
  };
  const held = () => (loaded ??= load());
  return {
    publicKey: () => held().publicKey,
    sign: (text) => sign('sha256', Buffer.from(text), { key: held().key, dsaEncoding: ENCODING }).toString('base64url'),
  };
}

/** Whether a text was signed by whoever holds the other half of a public key. */
export function isSigned(text: string, signature: string, publicKey: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64url'), format: 'der', type: 'spki' });
    if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return false;
    return verify('sha256', Buffer.from(text), { key, dsaEncoding: ENCODING }, Buffer.from(signature, 'base64url'));
  } catch {
    // What is not a key has signed nothing.
    return false;
  }
}

export function macOf(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}

export function isMac(secret: string, text: string, mac: string): boolean {
  const [wanted, given] = [Buffer.from(macOf(secret, text)), Buffer.from(mac)];
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

function readKey(file: string): KeyObject | null {
  checkPrivateFile(file);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  try {
    return createPrivateKey(text);
  } catch (cause) {
    throw new ForgeError('data_dir_unusable', `${file} does not hold a key`, {
      hint: 'Remove the file; browsers then have to be paired again.',
      cause,
    });
  }
}

function makeKey(file: string): KeyObject {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileDurably(file, Buffer.from(privateKey.export({ format: 'pem', type: 'pkcs8' })), { mode: 0o600 });
  return privateKey;
}
