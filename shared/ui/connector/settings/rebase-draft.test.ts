import { describe, expect, it } from 'vitest';
import { draftOf, valuesOf, type Fields, type FormDraft } from './draft.ts';
import { isContested, rebaseDraft } from './rebase-draft.ts';

const FIELDS: Fields = {
  base_url: { type: 'string' },
  project: { type: 'string' },
  token: { type: 'secret' },
  instances: { type: 'instances', fields: { name: { type: 'string' }, key: { type: 'secret' } } },
};
const of = (values: Record<string, unknown>): FormDraft => draftOf(FIELDS, values);
const text = (value: string) => ({ kind: 'text', text: value }) as const;

describe('C-90 what is typed outlives that the settings are read again', () => {
  it('keeps a field somebody has touched, and follows what is saved everywhere else', () => {
    const before = of({ base_url: 'https://a.test', project: 'ABC' });
    const now = { ...before, base_url: text('https://typed.test') };
    const saved = of({ base_url: 'https://a.test', project: 'XYZ' });
    expect(valuesOf(FIELDS, rebaseDraft(FIELDS, before, now, saved))).toMatchObject({
      base_url: 'https://typed.test',
      project: 'XYZ',
    });
  });

  it('gives a new row the id it was saved under, and keeps what was typed in it since', () => {
    const [sent, answer] = [of({ instances: [{ name: 'prod' }] }), of({ instances: [{ $id: 'r1', name: 'prod' }] })];
    const rows = sent['instances']?.kind === 'rows' ? sent['instances'].rows : [];
    const typed = rows.map((row) => ({ ...row, fields: { ...row.fields, name: text('production') } }));
    const now: FormDraft = { ...sent, instances: { kind: 'rows', rows: typed } };
    const next = rebaseDraft(FIELDS, sent, now, answer);
    expect(next['instances']).toMatchObject({ rows: [{ key: rows[0]?.key, id: 'r1' }] });
    expect(valuesOf(FIELDS, next)['instances']).toEqual([{ $id: 'r1', name: 'production', key: null }]);
  });

  it('a secret that was saved while the next one is typed can be kept', () => {
    const before = of({});
    const sent: FormDraft = { ...before, token: { kind: 'secret', state: 'typed', text: 'one', savedAt: null } };
    const now: FormDraft = { ...before, token: { kind: 'secret', state: 'typed', text: 'two', savedAt: null } };
    const saved = of({ token: { $secret: true, saved_at: '2026-01-01T00:00:00Z' } });
    expect(rebaseDraft(FIELDS, sent, now, saved)['token']).toEqual({
      kind: 'secret',
      state: 'typed',
      text: 'two',
      savedAt: '2026-01-01T00:00:00Z',
    });
    expect(rebaseDraft(FIELDS, sent, sent, saved)['token']).toMatchObject({ state: 'kept', text: '' });
  });

  it('drops what was typed into a field that is declared otherwise now', () => {
    const now = { ...of({}), project: text('typed') };
    const fields: Fields = { ...FIELDS, project: { type: 'boolean' } };
    expect(rebaseDraft(fields, of({}), now, draftOf(fields, {}))['project']).toEqual({ kind: 'flag', value: null });
  });

  it.each([
    ['changed in both places', 'mine', 'theirs', true],
    ['changed to the same', 'same', 'same', false],
    ['changed here only', 'mine', 'old', false],
    ['changed there only', 'old', 'theirs', false],
  ])('%s', (_what, mine, theirs, expected) => {
    const [before, now, saved] = ['old', mine, theirs].map((project) => of({ project }));
    expect(isContested(FIELDS, before ?? {}, now ?? {}, saved ?? {})).toBe(expected);
  });
});
