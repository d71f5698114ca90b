import { describe, expect, it } from 'vitest';
import { Secret } from '../secret.ts';
import { expandForm, injectForm, injectRows } from './expand-form.ts';

const REVEAL = { secrets: 'reveal' } as const;
const NAMES = new Set(['gitlab_pat', 'pat_name', 'unsaved']);
const SCOPE = {
  settings: { gitlab_pat: new Secret('glpat'), pat_name: 'GITLAB_PAT', blank: '', none: new Secret('') },
  args: {
    params: { BRANCH: 'main', N: 1, DRY: false },
    text: '{"BRANCH":"main"}',
    branch: 'a b&c',
    blank: '',
    gitlab_pat: 'evil',
  },
};

describe('expandForm', () => {
  it.each<[string, unknown, [string, string][]]>([
    [
      'C-85 an object',
      { BRANCH: 'main', N: 1, DRY: false },
      [
        ['BRANCH', 'main'],
        ['N', '1'],
        ['DRY', 'false'],
      ],
    ],
    [
      'C-86 a JSON string',
      '{"BRANCH":"main","N":1}',
      [
        ['BRANCH', 'main'],
        ['N', '1'],
      ],
    ],
    [
      'C-85 nested objects as JSON',
      { a: { b: 1 }, c: [{ d: 2 }] },
      [
        ['a', '{"b":1}'],
        ['c', '[{"d":2}]'],
      ],
    ],
    [
      'C-85 a list of scalars repeats its key',
      { a: ['x', 'y'] },
      [
        ['a', 'x'],
        ['a', 'y'],
      ],
    ],
    ['C-85 an empty text stays, null goes', { a: '', b: null }, [['a', '']]],
    [
      'C-85 a value that looks like a template stays text',
      { a: '{settings.gitlab_pat}' },
      [['a', '{settings.gitlab_pat}']],
    ],
    ['nothing', undefined, []],
    ['an empty text', '', []],
  ])('%s', (_, params, expected) => {
    expect(expandForm('{args.params}', { ...SCOPE, args: { params } }, REVEAL)).toEqual(expected);
  });

  it.each(['main', '[1]', '7', '{broken', 5, ['a']])('C-86 refuses %j and names the argument', (params) => {
    expect(() => expandForm('{args.params}', { args: { params } }, REVEAL)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining('"params"') as unknown }),
    );
  });

  it.each<[string, Record<string, unknown>, [string, string][]]>([
    [
      'W-05 settings and arguments',
      { a: 'x-{args.branch}', t: '{settings.gitlab_pat}' },
      [
        ['a', 'x-a b&c'],
        ['t', 'glpat'],
      ],
    ],
    [
      'W-05 scalars',
      { a: 1, b: true },
      [
        ['a', '1'],
        ['b', 'true'],
      ],
    ],
    [
      'W-05 lists and objects',
      { a: ['x', '{args.branch}'], b: { c: '{args.branch}' } },
      [
        ['a', 'x'],
        ['a', 'a b&c'],
        ['b', '{"c":"a b&c"}'],
      ],
    ],
    ['W-05 drops a missing argument', { a: '{args.nope}', b: null, c: '{args.blank}' }, [['c', '']]],
  ])('%s', (_, map, expected) => {
    expect(expandForm(map, SCOPE, REVEAL)).toEqual(expected);
  });

  it('takes a map that was written as JSON text', () => {
    expect(expandForm('{"a": "{args.branch}"}', SCOPE, REVEAL)).toEqual([['a', 'a b&c']]);
  });

  it('refuses any other text', () => {
    expect(() => expandForm('a={args.branch}', SCOPE, REVEAL)).toThrow(
      expect.objectContaining({ code: 'invalid_manifest' }),
    );
  });

  it('refuses half a character, which a form would change silently', () => {
    expect(() => expandForm({ a: '{args.x}' }, { args: { x: '\ud800' } }, REVEAL)).toThrow(
      expect.objectContaining({ code: 'unsafe_value' }),
    );
  });
});

describe('injectForm', () => {
  const options = { ...REVEAL, bareNames: NAMES };

  it.each<[string, Record<string, unknown>, [string, string][]]>([
    [
      'C-87 fills the value',
      { GITLAB_PAT: '{settings.gitlab_pat}' },
      [
        ['a', '1'],
        ['GITLAB_PAT', 'glpat'],
      ],
    ],
    [
      'C-87 fills the key',
      { '{settings.pat_name}': '{gitlab_pat}' },
      [
        ['a', '1'],
        ['GITLAB_PAT', 'glpat'],
      ],
    ],
    ['C-88 drops an empty setting', { T: '{settings.blank}', U: '{settings.none}' }, [['a', '1']]],
    ['C-88 drops a setting that is not saved', { T: '{settings.nope}', U: 'x-{unsaved}' }, [['a', '1']]],
    ['C-88 drops what was never substituted', { T: '{typo}', '{typo}': 'x' }, [['a', '1']]],
    ['C-88 drops an empty text', { T: '' }, [['a', '1']]],
    ['K-08 wins over the same key', { a: '{settings.gitlab_pat}' }, [['a', 'glpat']]],
    [
      'a number',
      { T: 5 },
      [
        ['a', '1'],
        ['T', '5'],
      ],
    ],
  ])('%s', (_, inject, expected) => {
    expect(injectForm([['a', '1']], inject, SCOPE, options)).toEqual(expected);
  });

  it.each([
    ['an argument as value', { T: '{args.gitlab_pat}' }],
    ['an argument as key', { '{args.gitlab_pat}': '{gitlab_pat}' }],
    ['a result', { T: 'x-{result.id}' }],
  ])('C-87 refuses %s instead of dropping the field', (_, inject) => {
    expect(() => injectForm([['a', '1']], inject, SCOPE, options)).toThrow(
      expect.objectContaining({
        code: 'invalid_manifest',
        message: expect.stringContaining('injected fields are filled from settings only') as string,
      }),
    );
  });

  it('K-08 replaces every field of that name', () => {
    expect(
      injectForm(
        [
          ['T', '1'],
          ['b', '2'],
          ['T', '3'],
        ],
        { T: '{gitlab_pat}' },
        SCOPE,
        options,
      ),
    ).toEqual([
      ['b', '2'],
      ['T', 'glpat'],
    ]);
  });

  it('masks in a dry run', () => {
    expect(injectForm([], { T: '{gitlab_pat}' }, SCOPE, { secrets: 'mask', bareNames: NAMES })).toEqual([
      ['T', '[secret]'],
    ]);
  });
});

describe('injectRows', () => {
  it('C-89 adds every row, opened, and K-08 wins', () => {
    const rows = [
      { name: 'TOKEN', value: new Secret('t') },
      { name: 'USER', value: 'u' },
    ];
    expect(
      injectRows(
        [
          ['USER', 'llm'],
          ['a', '1'],
        ],
        rows,
        REVEAL,
      ),
    ).toEqual([
      ['a', '1'],
      ['TOKEN', 't'],
      ['USER', 'u'],
    ]);
  });

  it('C-89 drops rows without a name or a value', () => {
    const rows = [{ name: '', value: 'x' }, { name: 'A' }, { name: 'B', value: new Secret('') }, 'x', null];
    expect(injectRows([['a', '1']], rows, REVEAL)).toEqual([['a', '1']]);
  });

  it('C-89 takes values as they are, not as templates', () => {
    expect(injectRows([], [{ name: '{a}', value: '{settings.token}' }], REVEAL)).toEqual([['{a}', '{settings.token}']]);
  });

  it.each([undefined, null, '', []])('leaves the form alone for %j', (rows) => {
    expect(injectRows([['a', '1']], rows, REVEAL)).toEqual([['a', '1']]);
  });

  it('reads rows that were saved as JSON text', () => {
    expect(injectRows([], '[{"name":"A","value":"b"}]', REVEAL)).toEqual([['A', 'b']]);
  });

  it.each(['nonsense', { name: 'A', value: 'b' }, 5])('refuses %j', (rows) => {
    expect(() => injectRows([], rows, REVEAL)).toThrow(expect.objectContaining({ code: 'invalid_settings' }));
  });

  it('masks and refuses secrets', () => {
    const rows = [{ name: 'A', value: new Secret('hunter2') }];
    expect(injectRows([], rows, { secrets: 'mask' })).toEqual([['A', '[secret]']]);
    expect(() => injectRows([], rows, { secrets: 'refuse' })).toThrow(
      expect.objectContaining({ code: 'secret_not_allowed_here' }),
    );
  });
});
