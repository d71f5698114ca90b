import { describe, expect, it } from 'vitest';
import { checkDraft, countProblems, problemsOfAnswer, remainingProblems, type Problems } from './check-draft.ts';
import {
  draftOf,
  holdsSecret,
  isChanged,
  moved,
  newRow,
  valuesOf,
  type Fields,
  type FormDraft,
  type RowsDraft,
} from './draft.ts';
import { rowSummary } from './row-summary.ts';

const FIELDS: Fields = {
  site: { type: 'string', required: true },
  port: { type: 'integer' },
  ratio: { type: 'number' },
  fast: { type: 'boolean' },
  level: { type: 'select', options: [1, 'two', true] },
  extra: { type: 'json' },
  shape: { type: 'object' },
  token: { type: 'secret', required: true },
  plain: { secret: true },
  instances: {
    type: 'instances',
    required: true,
    fields: {
      name: { type: 'string', required: true },
      base_url: { type: 'string' },
      key: { type: 'secret' },
      inject: { type: 'instances', fields: { name: { type: 'string' }, value: { type: 'secret', required: true } } },
    },
  },
};

const SAVED = { $secret: true, saved_at: '2026-01-01T00:00:00.000Z' };
const VALUES = {
  site: 'https://a.test',
  port: 80,
  ratio: 0.5,
  fast: false,
  level: true,
  extra: [1, { a: 'b' }],
  shape: { x: 1 },
  token: SAVED,
  plain: null,
  instances: [
    { $id: 'r1', name: 'prod', base_url: 'https://p', key: SAVED, inject: [{ $id: 'n1', name: 'PW', value: SAVED }] },
    { $id: 'r2', name: 'dev', base_url: null, key: null, inject: null },
  ],
};

const MARK = { $secret: true };
const rows = (draft: ReturnType<typeof draftOf>, name: string): RowsDraft['rows'] => {
  const found = draft[name];
  if (found?.kind !== 'rows') throw new Error(`${name} has no rows`);
  return found.rows;
};
const secret = (draft: ReturnType<typeof draftOf>, name: string) => {
  const found = draft[name];
  if (found?.kind !== 'secret') throw new Error(`${name} is no secret`);
  return found;
};
const write = (draft: ReturnType<typeof draftOf>, name: string, text: string): void => {
  const found = draft[name];
  if (found?.kind !== 'text') throw new Error(`${name} is no text`);
  found.text = text;
};

describe('a settings draft', () => {
  it('C-21 C-96 C-98 sends back what it was made of, with secrets as marks at every level', () => {
    expect(valuesOf(FIELDS, draftOf(FIELDS, VALUES))).toEqual({
      ...VALUES,
      token: MARK,
      instances: [
        { $id: 'r1', name: 'prod', base_url: 'https://p', key: MARK, inject: [{ $id: 'n1', name: 'PW', value: MARK }] },
        { $id: 'r2', name: 'dev', base_url: null, key: null, inject: null },
      ],
    });
  });

  it('C-96 replaces, keeps and removes a secret', () => {
    const draft = draftOf(FIELDS, VALUES);
    const token = secret(draft, 'token');
    token.state = 'typed';
    expect(valuesOf(FIELDS, draft)['token']).toEqual(MARK);
    expect(isChanged(FIELDS, draftOf(FIELDS, VALUES), draft)).toBe(false);
    token.text = 'new one';
    expect(valuesOf(FIELDS, draft)['token']).toBe('new one');
    expect(isChanged(FIELDS, draftOf(FIELDS, VALUES), draft)).toBe(true);
    token.state = 'removed';
    expect(valuesOf(FIELDS, draft)['token']).toBeNull();
  });

  it('reads numbers, choices and JSON as their types, and hands on what it cannot read', () => {
    const draft = draftOf(FIELDS, {});
    for (const [name, text] of [
      ['port', '8080'],
      ['level', '1'],
      ['extra', '{"a": [1]}'],
      ['shape', '{'],
      ['ratio', 'half'],
    ] as const)
      write(draft, name, text);
    expect(valuesOf(FIELDS, draft)).toMatchObject({
      site: null,
      port: 8080,
      level: 1,
      extra: { a: [1] },
      shape: '{',
      ratio: 'half',
    });
  });

  it('C-90 adds, moves and removes rows', () => {
    const draft = draftOf(FIELDS, VALUES);
    const list = rows(draft, 'instances');
    list.push(newRow(FIELDS['instances']?.type === 'instances' ? FIELDS['instances'].fields : {}));
    const names = () => (valuesOf(FIELDS, draft)['instances'] as { $id?: string }[]).map(({ $id }) => $id);
    expect(names()).toEqual(['r1', 'r2', undefined]);
    list.splice(0, 3, ...moved(list, 2, 0));
    expect(names()).toEqual([undefined, 'r1', 'r2']);
    list.splice(0, 3);
    expect(valuesOf(FIELDS, draft)['instances']).toBeNull();
    expect(moved(['a', 'b', 'c'], 0, 9)).toEqual(['b', 'c', 'a']);
  });

  it('knows which rows hold a secret', () => {
    const [prod, dev] = rows(draftOf(FIELDS, VALUES), 'instances');
    expect([prod, dev].map((row) => row !== undefined && holdsSecret(row))).toEqual([true, false]);
  });

  it('never reads a value that is not its own', () => {
    const fields: Fields = Object.fromEntries([['toString', { type: 'string' } as const]]);
    expect(Object.entries(draftOf(fields, {}))).toEqual([['toString', { kind: 'text', text: '' }]]);
  });
});

describe('checking a draft', () => {
  it('says what is missing or wrong, by path, also in rows of rows', () => {
    const draft = draftOf(FIELDS, {
      instances: [{ name: 'a' }, { name: 'a', inject: [{ name: 'x' }] }, { base_url: 'https://b' }],
    });
    for (const [name, text] of [
      ['port', '1.5'],
      ['ratio', 'x'],
      ['shape', '[]'],
    ] as const)
      write(draft, name, text);
    expect([...checkDraft(FIELDS, draft)]).toEqual([
      ['site', 'is required'],
      ['port', 'must be a whole number'],
      ['ratio', 'must be a number'],
      ['shape', 'must be a JSON object'],
      ['token', 'is required'],
      ['instances', 'has two rows called "a"'],
      ['instances.1.inject.0.value', 'is required'],
      ['instances.2.name', 'is required'],
    ]);
    expect([...checkDraft(FIELDS, draftOf(FIELDS, {}))].at(-1)).toEqual(['instances', 'needs at least one row']);
    expect(checkDraft(FIELDS, draftOf(FIELDS, VALUES)).size).toBe(0);
  });

  it('takes a removed secret as missing', () => {
    const draft = draftOf(FIELDS, VALUES);
    secret(draft, 'token').state = 'removed';
    expect([...checkDraft(FIELDS, draft)]).toEqual([['token', 'is required']]);
  });

  it('reads the server’s list and ignores what it does not know', () => {
    const problems = problemsOfAnswer([
      { path: 'instances.1.key', label: 'Key', message: 'is bad' },
      { path: 'instances.0.inject.0.value', message: 'holds a line break' },
      { path: 7 },
      'x',
      { path: 'site', message: 'no' },
    ]);
    expect([...problems]).toEqual([
      ['instances.1.key', 'is bad'],
      ['instances.0.inject.0.value', 'holds a line break'],
      ['site', 'no'],
    ]);
    expect(countProblems(problems, 'instances.1')).toBe(1);
    expect(countProblems(problems, 'instances.10')).toBe(0);
    expect(problemsOfAnswer('nonsense').size).toBe(0);
  });
});

describe('a closed row', () => {
  const fields = FIELDS['instances']?.type === 'instances' ? FIELDS['instances'].fields : {};

  it('shows name, address and state', () => {
    const [prod, dev] = rows(draftOf(FIELDS, VALUES), 'instances');
    const none = new Map<string, string>();
    expect(prod && rowSummary(fields, prod, none, 'instances.0')).toEqual({
      title: 'prod',
      detail: 'https://p',
      state: 'ready',
      words: 'Filled in',
    });
    expect(dev && rowSummary(fields, dev, new Map([['instances.1.key', 'is bad']]), 'instances.1')).toMatchObject({
      detail: '',
      state: 'broken',
      words: '1 problem',
    });
    expect(rowSummary(fields, newRow(fields), none, 'instances.2')).toMatchObject({
      title: 'New row',
      state: 'needs',
    });
  });
});

it('C-21 what the server found wrong is said until that field is touched', () => {
  const fields: Fields = {
    address: { type: 'string' },
    port: { type: 'integer' },
    instances: { type: 'instances', fields: { name: { type: 'string' }, url: { type: 'string' } } },
  };
  const before = draftOf(fields, { address: 'a', port: 1, instances: [{ name: 'x', url: 'u' }, { name: 'y' }] });
  const said: Problems = new Map([
    ['address', 'cannot be reached'],
    ['instances.0.url', 'is no address'],
    ['port', 'is taken'],
  ]);
  const left = (now: FormDraft) => [...remainingProblems(said, fields, before, now).keys()];
  expect(left({ ...before, port: { kind: 'text', text: '2' } })).toEqual(['address', 'instances.0.url']);
  expect(left({ ...before, port: { kind: 'text', text: 'x' } })).toEqual(['address', 'instances.0.url', 'port']);
  const rows = before['instances']?.kind === 'rows' ? before['instances'].rows : [];
  const named = rows.map((row, index) =>
    index === 0 ? { ...row, fields: { ...row.fields, name: { kind: 'text', text: 'z' } as const } } : row,
  );
  expect(left({ ...before, instances: { kind: 'rows', rows: named } })).toEqual([...said.keys()]);
  expect(left({ ...before, instances: { kind: 'rows', rows: rows.slice(1) } })).toEqual(['address', 'port']);
});
