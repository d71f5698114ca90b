import { hash } from 'node:crypto';

/** What a host proves itself by. */
export interface HostKey {
  /** Such as `ssh-ed25519`. */
  type: string;
  /** The key as it goes over the wire, in base64. */
  blob: string;
  /** As OpenSSH prints it: `SHA256:…`. */
  fingerprint: string;
}

const TYPE = /^[a-z0-9@.-]{1,64}$/;
/** An RSA key may sign in three ways. */
const RSA = ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'] as const;
const OTHERS = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'] as const;

type KeyAlgorithm = (typeof RSA)[number] | (typeof OTHERS)[number];

/** Reads a key as it came; its type is written in front of it. */
export function readHostKey(key: Buffer): HostKey | null {
  if (key.length < 4) return null;
  const length = key.readUInt32BE(0);
  if (length > key.length - 4) return null;
  const type = key.toString('latin1', 4, 4 + length);
  if (!TYPE.test(type)) return null;
  const digest = hash('sha256', key, 'base64').replace(/=+$/, '');
  return { type, blob: key.toString('base64'), fingerprint: `SHA256:${digest}` };
}

/** Asks a known host for the key that is known: with another one it could pass for new. */
export function algorithmsFor(knownTypes: readonly string[]): KeyAlgorithm[] | undefined {
  if (knownTypes.length === 0) return undefined;
  const isRsaKnown = knownTypes.includes('ssh-rsa');
  return [...OTHERS.filter((type) => knownTypes.includes(type)), ...(isRsaKnown ? RSA : [])];
}
