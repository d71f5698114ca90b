import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isForgeError } from '../../shared/errors.ts';
import { keyringOf, newKey } from './keyring.ts';
import { sealPlace } from './seal-place.ts';
import { openText, sealedKeyId, sealText } from './vault.ts';
import { rounds } from '../../shared/testing/rounds.ts';

const key = newKey();
const otherKey = newKey();
const keyring = keyringOf(key, otherKey);

const fields = fc.record({
  connectorId: fc.string(),
  path: fc.array(fc.string(), { maxLength: 3 }),
  rowIds: fc.array(fc.string(), { maxLength: 2 }),
});
const texts = fc.string({ unit: 'binary' });

const token = sealPlace({ connectorId: 'jira', path: ['token'], rowIds: [] });
const rowToken = sealPlace({ connectorId: 'jira', path: ['instances', 'token'], rowIds: ['row-1'] });

function opens(sealed: string, place: string): boolean {
  try {
    openText(keyring, sealed, place);
    return true;
  } catch (error) {
    if (isForgeError(error, 'secrets_unreadable') && error.message.startsWith('secrets cannot be read: ')) return false;
    throw error;
  }
}

describe('the vault', () => {
  it.each([
    ['C-22 a secret', token],
    ['C-95 a secret nested in a row', rowToken],
  ])('%s is sealed with AES-256-GCM and opens again', (_, place) => {
    const sealed = sealText(key, 'hunter2', place);
    expect(sealed).toMatch(/^forge1\.[0-9a-f]{16}\.[A-Za-z0-9_-]+$/);
    expect(sealed).not.toContain('hunter2');
    expect(Buffer.from(sealed.split('.')[2]!, 'base64url')).toHaveLength(12 + 'hunter2'.length + 16);
    expect(openText(keyring, sealed, place)).toBe('hunter2');
    expect(sealedKeyId(sealed)).toBe(key.id);
  });

  it('C-22 seals the same text differently each time', () => {
    const sealed = new Set(Array.from({ length: 100 }, () => sealText(key, 'hunter2', token)));
    expect(sealed.size).toBe(100);
  });

  it('D-06 takes its IV from the source of randomness', () => {
    const iv = Buffer.from('000102030405060708090a0b', 'hex');
    const sealed = sealText(key, 'a', token, () => iv);
    expect(Buffer.from(sealed.split('.')[2]!, 'base64url').subarray(0, 12)).toEqual(iv);
  });

  it('D-06 round-trips every text', () => {
    fc.assert(
      fc.property(texts, fields, (text, field) => {
        const place = sealPlace(field);
        expect(openText(keyring, sealText(key, text, place), place)).toBe(text);
      }),
      { numRuns: rounds(2500) },
    );
  });

  it.each(['', '\ufeffwith a byte order mark', 'ü€😀', '\0', 'x'.repeat(1_000_000)])('D-06 round-trips %j', (text) => {
    expect(openText(keyring, sealText(key, text, token), token)).toBe(text);
  });

  it.each(['\ud800', 'a\udc00b', '😀'.slice(0, 1)])(
    'D-06 refuses half a character instead of altering it (%j)',
    (text) => {
      expect(() => sealText(key, text, token)).toThrow('half a character');
    },
  );

  it('C-95 does not open a value that was moved to another field, row or connector', () => {
    fc.assert(
      fc.property(texts, fields, fields, (text, field, otherField) => {
        fc.pre(JSON.stringify(field) !== JSON.stringify(otherField));
        expect(opens(sealText(key, text, sealPlace(field)), sealPlace(otherField))).toBe(false);
      }),
      { numRuns: rounds(2500) },
    );
  });

  it.each([
    [
      { connectorId: 'a', path: ['b', 'c'], rowIds: [] },
      { connectorId: 'a', path: ['b'], rowIds: ['c'] },
    ],
    [
      { connectorId: 'a', path: ['b.c'], rowIds: [] },
      { connectorId: 'a', path: ['b', 'c'], rowIds: [] },
    ],
    [
      { connectorId: 'a","b', path: [], rowIds: [] },
      { connectorId: 'a', path: ['b'], rowIds: [] },
    ],
    [
      { connectorId: 'a', path: ['\ud800'], rowIds: [] },
      { connectorId: 'a', path: ['\ud801'], rowIds: [] },
    ],
  ])('C-95 keeps the places %j and %j apart', (one, other) => {
    expect(opens(sealText(key, 'x', sealPlace(one)), sealPlace(other))).toBe(false);
  });

  it('D-06 does not open a value with any bit flipped', () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(7), (text, at, bit) => {
        const [prefix, id, body] = sealText(key, text, token).split('.') as [string, string, string];
        const bytes = Buffer.from(body, 'base64url');
        const position = at % bytes.length;
        bytes[position] = bytes[position]! ^ (1 << bit);
        expect(opens(`${prefix}.${id}.${bytes.toString('base64url')}`, token)).toBe(false);
      }),
      { numRuns: rounds(2500) },
    );
  });

  it('D-06 does not open a value with any character changed, its format and key id included', () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.string({ minLength: 1, maxLength: 1 }), (text, at, character) => {
        const sealed = sealText(key, text, token);
        const position = at % sealed.length;
        fc.pre(sealed[position] !== character);
        expect(opens(sealed.slice(0, position) + character + sealed.slice(position + 1), token)).toBe(false);
      }),
      { numRuns: rounds(1500) },
    );
  });

  it('D-06 does not open a value that was cut at either end', () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.boolean(), (text, at, fromStart) => {
        const sealed = sealText(key, text, token);
        const cut = 1 + (at % (sealed.length - 1));
        expect(opens(fromStart ? sealed.slice(cut) : sealed.slice(0, -cut), token)).toBe(false);
        const [prefix, id, body] = sealed.split('.') as [string, string, string];
        const bytes = Buffer.from(body, 'base64url');
        const fewer = 1 + (at % bytes.length);
        const rest = fromStart ? bytes.subarray(fewer) : bytes.subarray(0, bytes.length - fewer);
        expect(opens(`${prefix}.${id}.${rest.toString('base64url')}`, token)).toBe(false);
      }),
      { numRuns: rounds(1000) },
    );
  });

  it('D-06 does not open a value under the id of another key', () => {
    expect(opens(sealText(key, 'x', token).replace(key.id, otherKey.id), token)).toBe(false);
  });

  it('D-06 names the key that is missing', () => {
    const foreign = newKey();
    expect(() => openText(keyring, sealText(foreign, 'x', token), token)).toThrow(foreign.id);
  });

  const sealed = sealText(key, 'xy', token);
  it.each([
    ['an empty text', ''],
    ['a plain text', 'hunter2'],
    ['another version', sealed.replace('forge1', 'forge2')],
    ['a space in front', ` ${sealed}`],
    ['a line break behind', `${sealed}\n`],
    ['padding', `${sealed}==`],
    ['the other base64 alphabet', sealed.replace(/\.[^.]+$/, '.+/+/')],
    ['a fourth part', `${sealed}.x`],
    ['too few bytes', `forge1.${key.id}.${Buffer.alloc(27).toString('base64url')}`],
    ['upper-case hex', sealed.replace(key.id, key.id.toUpperCase().replace(/^\d+$/, 'ABCDEF0123456789'))],
  ])('D-06 refuses %s', (_, text) => {
    expect(() => openText(keyring, text, token)).toThrow('secrets cannot be read: ');
  });

  it('D-06 accepts one spelling only, although several decode to the same bytes', () => {
    const canonical = sealText(key, 'x', token);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(canonical.at(-1)!);
    const twin = canonical.slice(0, -1) + alphabet[last ^ 1]!;
    expect(Buffer.from(twin.split('.')[2]!, 'base64url')).toEqual(Buffer.from(canonical.split('.')[2]!, 'base64url'));
    expect(opens(canonical, token)).toBe(true);
    expect(opens(twin, token)).toBe(false);
  });
});
