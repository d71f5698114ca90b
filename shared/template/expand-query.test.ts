import { describe, expect, it } from 'vitest';
import { Secret } from '../secret.ts';
import { appendQuery, expandQuery } from './expand-query.ts';

const SCOPE = {
  settings: { token: new Secret('s e'), empty: '' },
  args: { name: 'a&b', n: 5, yes: false, list: ['x', 2, ''], objects: [{ a: 1 }], none: [], blank: '', nothing: null },
};
const REVEAL = { secrets: 'reveal' } as const;

describe('expandQuery', () => {
  it.each<[string, Record<string, unknown>, [string, string][]]>([
    ['fills text', { q: 'name:{args.name}' }, [['q', 'name:a&b']]],
    ['C-61 fills a secret', { access_token: '{settings.token}' }, [['access_token', 's e']]],
    [
      'turns scalars into text',
      { per_page: 50, open: true, n: '{args.n}', yes: '{args.yes}' },
      [
        ['per_page', '50'],
        ['open', 'true'],
        ['n', '5'],
        ['yes', 'false'],
      ],
    ],
    ['W-03 drops an entry with a missing argument whole', { q: 'name:{args.nope}', r: '{args.n}' }, [['r', '5']]],
    ['W-03 drops an entry with an empty argument whole', { q: 'name:{args.blank}', r: '{args.nothing}' }, []],
    ['W-03 drops an entry with an empty setting whole', { q: 'x{settings.empty}', r: '{settings.nope}' }, []],
    ['keeps an entry that the manifest left empty', { q: '' }, [['q', '']]],
    ['drops null', { q: null }, []],
    [
      'repeats the key for a list',
      { id: '{args.list}' },
      [
        ['id', 'x'],
        ['id', '2'],
      ],
    ],
    [
      'repeats the key for a list in the manifest',
      { id: ['a', '{args.n}', '{args.nope}'] },
      [
        ['id', 'a'],
        ['id', '5'],
      ],
    ],
    ['drops an empty list', { id: '{args.none}' }, []],
    [
      'writes objects as JSON',
      { f: '{args.objects}', g: { a: '{args.n}' } },
      [
        ['f', '[{"a":1}]'],
        ['g', '{"a":5}'],
      ],
    ],
  ])('%s', (_, entries, expected) => {
    expect(expandQuery(entries, SCOPE, REVEAL)).toEqual(expected);
  });

  it('masks and refuses secrets', () => {
    const entries = { access_token: '{settings.token}' };
    expect(expandQuery(entries, SCOPE, { secrets: 'mask' })).toEqual([['access_token', '[secret]']]);
    expect(() => expandQuery(entries, SCOPE, { secrets: 'refuse' })).toThrow(/"token" is a secret/);
  });
});

describe('appendQuery', () => {
  it.each([
    ['https://h/x', 'https://h/x?a=1&b=%26%20%2F'],
    ['https://h/x?c=2', 'https://h/x?c=2&a=1&b=%26%20%2F'],
    ['https://h/x?', 'https://h/x?a=1&b=%26%20%2F'],
    ['https://h/x?c&', 'https://h/x?c&a=1&b=%26%20%2F'],
    ['https://h/x#f?g', 'https://h/x?a=1&b=%26%20%2F#f?g'],
    ['https://h/x?c#f', 'https://h/x?c&a=1&b=%26%20%2F#f'],
  ])('W-03 K-07 appends to %s', (url, expected) => {
    expect(
      appendQuery(url, [
        ['a', '1'],
        ['b', '& /'],
      ]),
    ).toBe(expected);
  });

  it('leaves a URL alone when there is nothing to append', () => {
    expect(appendQuery('https://h/x#f', [])).toBe('https://h/x#f');
  });

  it('refuses half a character and names the entry', () => {
    expect(() => appendQuery('https://h', [['q', '\ud800']])).toThrow(
      expect.objectContaining({ code: 'unsafe_value', message: expect.stringContaining('"q"') as unknown }),
    );
  });
});
