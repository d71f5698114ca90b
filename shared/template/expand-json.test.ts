import { describe, expect, it } from 'vitest';
import { Secret } from '../secret.ts';
import { expandBody, expandJson } from './expand-json.ts';

const REVEAL = { secrets: 'reveal' } as const;
const SCOPE = {
  settings: { password: new Secret('hunter2'), row: { key: new Secret('k') } },
  args: {
    yes: true,
    n: 3,
    list: [1, { a: 'x' }],
    text: 'say "hi"\n',
    blank: '',
    nothing: null,
    json: '{"a":1}',
    evil: '"}, "admin": true, "x": {"',
  },
};

describe('expandJson', () => {
  it.each<[string, unknown, unknown]>([
    [
      'W-04 keeps the type of a single token',
      { a: '{args.yes}', b: '{args.n}', c: '{args.list}' },
      { a: true, b: 3, c: [1, { a: 'x' }] },
    ],
    ['W-04 makes text of a mix', { a: 'n={args.n}', b: '{args.n}{args.yes}' }, { a: 'n=3', b: '3true' }],
    ['W-04 drops an entry that is a missing argument', { a: '{args.nope}', b: '{args.nothing}', c: 1 }, { c: 1 }],
    ['W-04 drops a missing argument from a list', ['a', '{args.nope}', '{args.n}'], ['a', 3]],
    ['keeps an entry that is empty', { a: '{args.blank}', b: '' }, { a: '', b: '' }],
    ['leaves nothing inside text for a missing argument', { a: 'x{args.nope}y' }, { a: 'xy' }],
    ['keeps literals', { a: 1, b: null, c: [false] }, { a: 1, b: null, c: [false] }],
    ['goes deep', { a: { b: [{ c: '{args.n}' }] } }, { a: { b: [{ c: 3 }] } }],
    ['keeps keys as written', { '{args.n}': 1 }, { '{args.n}': 1 }],
    ['C-69 fills secrets', { p: '{settings.password}', r: '{settings.row}' }, { p: 'hunter2', r: { key: 'k' } }],
    ['is undefined for a missing argument alone', '{args.nope}', undefined],
  ])('%s', (_, template, expected) => {
    expect(expandJson(template, SCOPE, REVEAL)).toEqual(expected);
  });

  it('masks and refuses secrets, nested ones too', () => {
    expect(expandJson({ r: '{settings.row}' }, SCOPE, { secrets: 'mask' })).toEqual({ r: { key: '[secret]' } });
    expect(() => expandJson({ r: '{settings.row}' }, SCOPE, { secrets: 'refuse' })).toThrow(/"row" is a secret/);
  });

  it('refuses keys that reach a prototype, in the template and in values', () => {
    const evil: unknown = JSON.parse('{"__proto__": {"admin": true}}');
    expect(() => expandJson(evil, SCOPE, REVEAL)).toThrow(expect.objectContaining({ code: 'unsafe_value' }));
    expect(() => expandJson({ a: '{args.evil}' }, { args: { evil } }, REVEAL)).toThrow(
      expect.objectContaining({ code: 'unsafe_value' }),
    );
  });

  it('does not share objects with the arguments', () => {
    expect(expandJson('{args.list}', SCOPE, REVEAL)).not.toBe(SCOPE.args.list);
  });
});

describe('expandBody', () => {
  it.each<[string, unknown, unknown]>([
    ['W-04 a map is JSON', { squash: '{args.yes}', x: '{args.nope}' }, { kind: 'json', value: { squash: true } }],
    ['W-04 a map without entries left is still JSON', { x: '{args.nope}' }, { kind: 'json', value: {} }],
    ['a list is JSON', ['{args.n}'], { kind: 'json', value: [3] }],
    ['W-04 a token with a JSON string is sent raw', '{args.json}', { kind: 'raw', text: '{"a":1}' }],
    ['W-04 a token with any other text is sent raw', '{args.text}', { kind: 'raw', text: 'say "hi"\n' }],
    ['W-04 a token with an object is JSON', '{args.list}', { kind: 'json', value: [1, { a: 'x' }] }],
    ['W-04 a missing token is no body', '{args.nope}', null],
    ['W-04 an empty token is no body', '{args.blank}', null],
    ['W-04 an empty text is no body', '', null],
    ['no body', undefined, null],
    ['null', null, null],
    ['text with tokens', 'a={args.n}', { kind: 'raw', text: 'a=3' }],
    ['braces that are not JSON', '{not json} {args.n}', { kind: 'raw', text: '{not json} 3' }],
    ['JSON as text, a value in a string', '{"q":"<{args.text}>"}', { kind: 'raw', text: '{"q":"<say \\"hi\\"\\n>"}' }],
    [
      'JSON as text, a value of its own',
      '{"a":{args.list},"b":{args.nope},"c":"\\"{args.n}"}',
      { kind: 'raw', text: '{"a":[1,{"a":"x"}],"b":null,"c":"\\"3"}' },
    ],
    [
      'JSON as text, a value behind an escaped quote',
      '{"q":"\\"{args.text}"}',
      { kind: 'raw', text: '{"q":"\\"say \\"hi\\"\\n"}' },
    ],
    [
      'JSON as text, no argument adds fields',
      '{"x":"{args.evil}"}',
      { kind: 'raw', text: '{"x":"\\"}, \\"admin\\": true, \\"x\\": {\\""}' },
    ],
  ])('%s', (_, body, expected) => {
    expect(expandBody(body, SCOPE, REVEAL)).toEqual(expected);
  });

  it.each(['{settings.password}', '{"p":"{settings.password}"}', '{"p":{settings.password}}', 'p={settings.password}'])(
    'masks and refuses a secret in %s',
    (body) => {
      expect(JSON.stringify(expandBody(body, SCOPE, { secrets: 'mask' }))).toContain('[secret]');
      expect(() => expandBody(body, SCOPE, { secrets: 'refuse' })).toThrow(
        expect.objectContaining({ code: 'secret_not_allowed_here' }),
      );
    },
  );
});
