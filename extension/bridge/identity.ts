/** Where the browser's own key is kept; the browser itself guards the private half. */
export interface KeyBox {
  get: () => Promise<CryptoKeyPair | null>;
  put: (pair: CryptoKeyPair) => Promise<void>;
}

/** This browser's own key. */
export interface Identity {
  readonly publicKey: string;
  sign: (text: string) => Promise<string>;
}

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;

/** Reads the key, or makes one. Its private half can be used and never be read, by us or by anybody who copies the profile's files. */
export async function loadIdentity(box: KeyBox): Promise<Identity> {
  const pair = (await box.get()) ?? (await makePair(box));
  const publicKey = toText(await crypto.subtle.exportKey('spki', pair.publicKey));
  return {
    publicKey,
    sign: async (text) => toText(await crypto.subtle.sign(SIGNING, pair.privateKey, bytesOf(text))),
  };
}

/** Whether a text was signed by whoever holds the other half of a public key. */
export async function isSigned(text: string, signature: string, publicKey: string): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('spki', fromText(publicKey), CURVE, false, ['verify']);
    return await crypto.subtle.verify(SIGNING, key, fromText(signature), bytesOf(text));
  } catch {
    // What is not a key has signed nothing.
    return false;
  }
}

/** Shows that somebody knows a secret, without telling it. */
export async function macOf(secret: string, text: string): Promise<string> {
  const key = await crypto.subtle.importKey('raw', bytesOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return toText(await crypto.subtle.sign('HMAC', key, bytesOf(text)));
}

export function randomText(bytes: number): string {
  return toText(crypto.getRandomValues(new Uint8Array(bytes)).buffer);
}

async function makePair(box: KeyBox): Promise<CryptoKeyPair> {
  const pair = await crypto.subtle.generateKey(CURVE, false, ['sign', 'verify']);
  await box.put(pair);
  return pair;
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** Base64url, as it travels. */
function toText(bytes: ArrayBuffer): string {
  const characters = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('');
  return btoa(characters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromText(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
}
