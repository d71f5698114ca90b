import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** A certificate and its key, as PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

interface Authority extends Certificate {
  /** Signs a certificate for names and IPv4 addresses. */
  issue(names: readonly string[], options?: { hasExpired?: boolean }): Certificate;
}

interface Content {
  issuer: string;
  subject: string;
  publicKey: KeyObject;
  hasExpired: boolean;
  extensions: Buffer[];
}

/** An authority that no computer knows. Node has no way to make certificates, so this one writes their ASN.1. */
export function certificateAuthority(name: string): Authority {
  const own = keyPair();
  const ownContent = { issuer: name, subject: name, publicKey: own.publicKey, hasExpired: false };
  return {
    cert: certificate(
      { ...ownContent, extensions: [extension('2.5.29.19', sequence(der(0x01, [0xff])))] },
      own.privateKey,
    ),
    key: pem(own.privateKey),
    issue: (names, { hasExpired = false } = {}) => {
      const { publicKey, privateKey } = keyPair();
      const extensions = [extension('2.5.29.17', sequence(...names.map(alternativeName)))];
      const content = { issuer: name, subject: names[0] ?? '', publicKey, hasExpired, extensions };
      return { cert: certificate(content, own.privateKey), key: pem(privateKey) };
    },
  };
}

function keyPair() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function certificate(content: Content, signer: KeyObject): string {
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1, ...randomBytes(8)]),
    algorithm,
    commonName(content.issuer),
    sequence(time('20200101000000Z'), time(content.hasExpired ? '20200201000000Z' : '20991231235959Z')),
    commonName(content.subject),
    content.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...content.extensions)),
  );
  const signature = der(0x03, [0], sign('sha256', toBeSigned, signer));
  const base64 = sequence(toBeSigned, algorithm, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

function commonName(name: string): Buffer {
  return sequence(der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from(name)))));
}

/** Up to 2049 a year has two digits. */
function time(text: string): Buffer {
  return text < '2050' ? der(0x17, Buffer.from(text.slice(2))) : der(0x18, Buffer.from(text));
}

function extension(id: string, content: Buffer): Buffer {
  return sequence(oid(id), der(0x01, [0xff]), der(0x04, content));
}

function alternativeName(name: string): Buffer {
  const isAddress = /^[\d.]+$/.test(name);
  return isAddress ? der(0x87, name.split('.').map(Number)) : der(0x82, Buffer.from(name));
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return der(0x06, [first * 40 + second, ...rest.flatMap(base128)]);
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function der(tag: number, ...parts: (Buffer | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
