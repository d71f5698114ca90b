import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

describe('canonicalJson', () => {
  it.each([
    [
      'sorts keys at every level',
      { b: 1, a: { d: [{ f: 1, e: 2 }], c: null } },
      '{"a":{"c":null,"d":[{"e":2,"f":1}]},"b":1}',
    ],
    ['keeps the order of lists', [3, 1, 2], '[3,1,2]'],
    ['tells a text from a number', { a: '1' }, '{"a":"1"}'],
    ['tells true from its text', { a: true }, '{"a":true}'],
    ['leaves out what JSON leaves out', { a: undefined, b: 1 }, '{"b":1}'],
    ['has one zero', { a: -0 }, '{"a":0}'],
    ['escapes keys and texts', { 'a"b': 'c\n"' }, '{"a\\"b":"c\\n\\""}'],
    [
      'keeps a key that looks like a prototype',
      JSON.parse('{"__proto__":{"x":1},"a":2}'),
      '{"__proto__":{"x":1},"a":2}',
    ],
    ['reads an empty object', {}, '{}'],
  ])('%s', (_, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('refuses what is too deep to walk', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(() => canonicalJson(deep)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });
});
