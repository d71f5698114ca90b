import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  currentKey,
  keyOf,
  keyringOf,
  newKey,
  parseKeyring,
  serialiseKeyring,
  withNewCurrent,
  withoutKeys,
} from './keyring.ts';

const bytes = Buffer.from('00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff', 'hex');
const base64 = bytes.toString('base64');
const key = keyOf(bytes);

describe('a keyring', () => {
  it('survives being written and read', () => {
    const keyring = keyringOf(newKey(), newKey());
    const read = parseKeyring(serialiseKeyring(keyring), 'a test');
    expect(read).toEqual(keyring);
  });

  it('names a key by a digest that is not the key’s plain digest', () => {
    expect(key.id).toMatch(/^[0-9a-f]{16}$/);
    expect(keyOf(Buffer.from(bytes)).id).toBe(key.id);
    expect(keyOf(Buffer.alloc(32)).id).not.toBe(key.id);
    expect(newKey(() => bytes)).toEqual(key);
  });

  it('takes a new current key and drops old ones, but never the current', () => {
    const next = newKey();
    const extended = withNewCurrent(keyringOf(key), next);
    expect(currentKey(extended)).toEqual(next);
    expect([...extended.keys.keys()]).toEqual([key.id, next.id]);
    expect([...withoutKeys(extended, [key.id, next.id]).keys.keys()]).toEqual([next.id]);
  });

  const good = { v: 1, current: key.id, keys: { [key.id]: base64 } };
  it.each([
    ['an empty text', ''],
    ['no JSON', `{"v":1,"current":"${key.id}","keys":{"${key.id}":"${base64}"`],
    ['a list', JSON.stringify([good])],
    ['another version', JSON.stringify({ ...good, v: 2 })],
    ['an unknown part', JSON.stringify({ ...good, more: 1 })],
    ['no keys', JSON.stringify({ ...good, keys: {} })],
    ['keys as a list', JSON.stringify({ ...good, keys: [base64] })],
    ['a missing current key', JSON.stringify({ ...good, current: '0123456789abcdef' })],
    [
      'a key under another id',
      JSON.stringify({ ...good, current: '0123456789abcdef', keys: { '0123456789abcdef': base64 } }),
    ],
    ['a short key', JSON.stringify({ ...good, keys: { [key.id]: base64.slice(0, 24) } })],
    ['a key that is a number', JSON.stringify({ ...good, keys: { [key.id]: 7 } })],
    ['sloppy base64', JSON.stringify({ ...good, keys: { [key.id]: ` ${base64}` } })],
    ['the other base64 alphabet', JSON.stringify({ ...good, keys: { [key.id]: bytes.toString('base64url') } })],
  ])('refuses %s, and the error does not show the key', (_, text) => {
    let error: unknown;
    try {
      parseKeyring(text, 'the key file /x/key');
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ code: 'key_invalid' });
    expect(String(error)).toContain('the key file /x/key');
    const shown = inspect(error, { depth: 10 });
    expect(shown).not.toContain(base64.slice(0, 10));
  });
});
