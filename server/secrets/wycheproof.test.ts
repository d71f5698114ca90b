import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decrypt, encrypt } from './aes-gcm.ts';

interface Vector {
  id: number;
  iv: string;
  key: string;
  aad: string;
  msg: string;
  ct: string;
  tag: string;
  valid: boolean;
}

const vectors = JSON.parse(readFileSync(new URL('fixtures/aes-gcm-256.json', import.meta.url), 'utf8')) as Vector[]; // checked below
const bytes = (hex: string) => Buffer.from(hex, 'hex');
const isUsual = ({ iv }: Vector) => iv.length === 24;
const usual = vectors.filter(isUsual);
const others = vectors.filter((vector) => !isUsual(vector));

function opened({ key, iv, aad, ct, tag }: Vector): string {
  return decrypt(bytes(key), bytes(iv), bytes(aad), bytes(ct), bytes(tag)).toString('hex');
}

describe('D-06 AES-256-GCM against the Wycheproof vectors', () => {
  it('has enough vectors of both kinds', () => {
    expect(usual.length).toBeGreaterThan(60);
    expect(usual.filter((vector) => vector.valid).length).toBeGreaterThan(30);
    expect(usual.filter((vector) => !vector.valid).length).toBeGreaterThan(10);
    expect(others.length).toBeGreaterThan(0);
    expect(vectors.every((vector) => vector.key.length === 64)).toBe(true);
  });

  it.each(usual.filter((vector) => vector.valid))('seals and opens vector $id', (vector) => {
    const { key, iv, aad, msg, ct, tag } = vector;
    const sealed = encrypt(bytes(key), bytes(iv), bytes(aad), bytes(msg));
    expect([sealed.ciphertext.toString('hex'), sealed.tag.toString('hex')]).toEqual([ct, tag]);
    expect(opened(vector)).toBe(msg);
  });

  it.each(usual.filter((vector) => !vector.valid))('does not open the forged vector $id', (vector) => {
    expect(() => opened(vector)).toThrow('secrets cannot be read: ');
  });

  it.each(others)('refuses the IV length of vector $id', (vector) => {
    const { key, iv, aad, msg } = vector;
    expect(() => encrypt(bytes(key), bytes(iv), bytes(aad), bytes(msg))).toThrow('the IV has');
    expect(() => opened(vector)).toThrow('the IV has');
  });

  it.each([0, 4, 8, 12, 13, 14, 15])('refuses a tag cut to %i bytes, which GCM itself could accept', (length) => {
    const vector = usual.find(({ valid }) => valid)!;
    expect(() => opened({ ...vector, tag: vector.tag.slice(0, 2 * length) })).toThrow('the tag has');
  });

  it.each([16, 24, 31, 33])('refuses a key of %i bytes', (length) => {
    const vector = usual.find(({ valid }) => valid)!;
    expect(() => opened({ ...vector, key: '00'.repeat(length) })).toThrow('the key has');
    expect(() => encrypt(Buffer.alloc(length), bytes(vector.iv), bytes(''), bytes(''))).toThrow('the key has');
  });
});
