import { describe, expect, it } from 'vitest';
import { Secret } from '../secret.ts';
import { expandHeader, expandHeaders } from './expand-header.ts';

const REVEAL = { secrets: 'reveal' } as const;
const SCOPE = { settings: { token: new Secret('t0k'), none: new Secret(''), blank: '' }, args: { v: 'x', n: 2 } };

describe('expandHeader', () => {
  it.each([
    ['C-54 C-59 a secret', 'Bearer {settings.token}', 'Bearer t0k'],
    ['C-60 a whole value', '{settings.token}', 't0k'],
    ['a number', 'v={args.n}', 'v=2'],
    ['plain text', 'application/vnd.github+json', 'application/vnd.github+json'],
    ['W-06 nothing for a setting that is not saved', 'Bearer {settings.nope}', null],
    ['W-06 nothing for an empty setting', 'Bearer {settings.blank}', null],
    ['W-06 nothing for an empty secret', 'Bearer {settings.none}', null],
    ['W-06 nothing for a missing argument', 'a {args.nope} b', null],
  ])('%s', (_, template, expected) => {
    expect(expandHeader(template, SCOPE, REVEAL)).toBe(expected);
  });

  it.each(['a\r\nX-Evil: 1', 'a\n', '\0', 'a\u007fb', '\u0085', '漢', '😀', '\ud800', '\u2028'])(
    'refuses %j in an argument',
    (value) => {
      expect(() => expandHeader('v {args.v}', { args: { v: value } }, REVEAL)).toThrow(
        expect.objectContaining({
          code: 'unsafe_value',
          message: expect.stringContaining('The argument "v" contains') as unknown,
        }),
      );
    },
  );

  it('refuses a line break in a secret without showing it', () => {
    const scope = { settings: { token: new Secret('hunter2\n') } };
    expect(() => expandHeader('{settings.token}', scope, REVEAL)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') as unknown }),
    );
  });

  it.each(['a\tb', 'é', 'ÿ'])('takes %j', (value) => {
    expect(expandHeader('{args.v}', { args: { v: value } }, REVEAL)).toBe(value);
  });

  it('masks and refuses secrets', () => {
    expect(expandHeader('Bearer {settings.token}', SCOPE, { secrets: 'mask' })).toBe('Bearer [secret]');
    expect(() => expandHeader('Bearer {settings.token}', SCOPE, { secrets: 'refuse' })).toThrow(/secret/);
  });
});

describe('expandHeaders', () => {
  it('C-54 W-06 fills what it can and drops the rest', () => {
    const headers = {
      Accept: 'a/b',
      Authorization: 'Bearer {settings.token}',
      'X-None': '{settings.nope}',
      'X-Version': 2,
      'X-Null': null,
    };
    expect(expandHeaders(headers, SCOPE, REVEAL)).toEqual({
      Accept: 'a/b',
      Authorization: 'Bearer t0k',
      'X-Version': '2',
    });
  });

  it.each(['', 'a b', 'a:b', 'a\nb', '{args.v}', 'ä', '__proto__'])('refuses the name %j', (name) => {
    const headers: unknown = JSON.parse(`{${JSON.stringify(name)}: "x"}`);
    expect(() => expandHeaders(headers as Record<string, unknown>, SCOPE, REVEAL)).toThrow(
      expect.objectContaining({ code: 'invalid_manifest' }),
    );
  });
});
