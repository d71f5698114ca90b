import { describe, expect, it } from 'vitest';
import { Secret } from '../secret.ts';
import { expandText } from './expand-text.ts';
import { parseTemplate, tokensIn } from './parse.ts';
import { isEmpty, lookUp, openValue, textOf, textsOf } from './scope.ts';
import type { Scope } from './scope.ts';
import type { Token } from './parse.ts';

const NAMES = new Set(['base_url', 'poll_count']);

function token(source: string): Token {
  return tokensIn(parseTemplate(source, NAMES))[0]!;
}

const SCOPE: Scope = {
  settings: { base_url: 'https://h', token: new Secret('hunter2'), poll_count: 'from settings', nothing: null },
  args: { a: { b: [10, 20] }, empty: '', zero: 0, no: false },
  result: ['first'],
  poll: 'text',
  bare: { poll_count: 3 },
};

describe('lookUp', () => {
  it.each([
    ['C-40 a setting', '{settings.base_url}', 'https://h'],
    ['K-04 a bare setting', '{base_url}', 'https://h'],
    ['a bare name of the place before a setting', '{poll_count}', 3],
    ['C-41 a nested argument', '{args.a.b[1]}', 20],
    ['a result that is a list', '{result[0]}', 'first'],
    ['false and zero as they are', '{args.zero}', 0],
    ['null as missing', '{settings.nothing}', undefined],
    ['a missing argument', '{args.nope}', undefined],
    ['a path through a missing value', '{args.nope.a.b}', undefined],
    ['no inherited property', '{args.toString}', undefined],
    ['no inherited property of a list', '{args.a.b.map}', undefined],
    ['no property of a text', '{poll.length}', undefined],
    ['nothing inside a secret', '{settings.token.reveal}', undefined],
  ])('finds %s', (_, source, expected) => {
    expect(lookUp(SCOPE, token(source))).toBe(expected);
  });

  it('finds nothing in an empty scope', () => {
    expect(lookUp({}, token('{args.a}'))).toBeUndefined();
    expect(lookUp({}, token('{base_url}'))).toBeUndefined();
  });
});

it.each([
  [undefined, true],
  [null, true],
  ['', true],
  [new Secret(''), true],
  [0, false],
  [false, false],
  [' ', false],
  [new Secret('x'), false],
  [[], false],
])('isEmpty(%j) is %s', (value, expected) => {
  expect(isEmpty(value)).toBe(expected);
});

describe('secrets', () => {
  const nested = { deep: [{ password: new Secret('hunter2') }] };

  it('reveals, also inside an object', () => {
    expect(textOf(new Secret('hunter2'), token('{settings.token}'), 'reveal')).toBe('hunter2');
    expect(textOf(nested, token('{settings.token}'), 'reveal')).toBe('{"deep":[{"password":"hunter2"}]}');
  });

  it('masks, also inside an object', () => {
    expect(textOf(new Secret('hunter2'), token('{settings.token}'), 'mask')).toBe('[secret]');
    expect(textOf(nested, token('{settings.token}'), 'mask')).toBe('{"deep":[{"password":"[secret]"}]}');
  });

  it.each([
    ['plain', new Secret('hunter2')],
    ['nested', nested],
  ])('refuses a %s one by name and without its value', (_, value) => {
    let message = '';
    try {
      textOf(value, token('{settings.token}'), 'refuse');
    } catch (error) {
      expect(error).toMatchObject({ code: 'secret_not_allowed_here' });
      message = String(error);
    }
    expect(message).toContain('"token"');
    expect(message).not.toContain('hunter2');
  });
});

describe('values', () => {
  it.each([
    ['text', 'a', 'a'],
    ['a number', 1.5, '1.5'],
    ['a boolean', false, 'false'],
    ['a list', [1, 'a'], '[1,"a"]'],
    ['an object', { a: null }, '{"a":null}'],
    ['nothing', undefined, ''],
  ])('turns %s into text', (_, value, expected) => {
    expect(textOf(value, token('{args.a}'), 'refuse')).toBe(expected);
  });

  it.each([
    ['a list of scalars as many', [1, true, 'x'], ['1', 'true', 'x']],
    ['empty items as none', ['', null, 'x'], ['x']],
    ['a list with an object as one', [1, { a: 1 }], ['[1,{"a":1}]']],
    ['an object as one', { a: 1 }, ['{"a":1}']],
    ['nothing as none', null, []],
  ])('takes %s', (_, value, expected) => {
    expect(textsOf(value, token('{args.a}'), 'refuse')).toEqual(expected);
  });

  it('refuses keys that reach a prototype', () => {
    const value: unknown = JSON.parse('{"a":{"__proto__":{"admin":true}}}');
    expect(() => openValue(value, token('{args.a}'), 'refuse')).toThrow(
      expect.objectContaining({ code: 'unsafe_value' }),
    );
  });

  it('refuses what is nested too deeply instead of exhausting the stack', () => {
    const value: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
    expect(() => textOf(value, token('{args.a}'), 'refuse')).toThrow(expect.objectContaining({ code: 'unsafe_value' }));
  });

  it('refuses what is not JSON', () => {
    expect(() => textOf(() => 1, token('{args.a}'), 'refuse')).toThrow(/is a function, not a JSON value/);
  });
});

describe('expandText', () => {
  const options = { secrets: 'refuse', bareNames: NAMES } as const;

  it.each([
    ['fills all roots', '{base_url} {args.a.b[0]} {result[0]} {poll_count}', 'https://h 10 first 3'],
    ['W-13 leaves nothing for what is missing', '/x/{args.nope}/y', '/x//y'],
    ['K-04 keeps other braces', '{x} {args}', '{x} {args}'],
  ])('%s', (_, source, expected) => {
    expect(expandText(parseTemplate(source, NAMES), SCOPE, options)).toBe(expected);
    expect(expandText(source, SCOPE, options)).toBe(expected);
  });

  it('never reads a value as a template', () => {
    const scope = { args: { x: '{settings.token}{args.x}' }, settings: { token: new Secret('hunter2') } };
    expect(expandText('<{args.x}>', scope, { secrets: 'reveal' })).toBe('<{settings.token}{args.x}>');
  });

  it.each([
    ['https://h/', '{base_url}/issues/', 'https://h/issues/'],
    ['https://h/jira//', '{base_url}/issues', 'https://h/jira/issues'],
    ['https://h/', '{base_url}', 'https://h/'],
    ['a/', '{base_url}/b', 'a//b'],
  ])('W-17 joins %s with one slash in %s', (baseUrl, source, expected) => {
    expect(expandText(source, { settings: { base_url: baseUrl } }, options)).toBe(expected);
  });

  it('takes the scope as the declared names when none are given', () => {
    expect(expandText('{a}{b}', { settings: { a: 1 } }, { secrets: 'refuse' })).toBe('1{b}');
  });

  it('K-04 leaves nothing for a declared setting that is not saved', () => {
    expect(expandText('[{base_url}]', {}, options)).toBe('[]');
  });
});
