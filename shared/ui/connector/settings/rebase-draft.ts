import { isChanged, type FieldDraft, type Fields, type FormDraft, type RowDraft, type RowsDraft } from './draft.ts';

/** What somebody has typed, put onto what is saved now: fields nobody touched since `before` follow what is saved. */
export function rebaseDraft(fields: Fields, before: FormDraft, now: FormDraft, saved: FormDraft): FormDraft {
  return Object.fromEntries(
    Object.entries(saved).map(([name, next]) => [name, rebaseField(fields, name, [before[name], now[name]], next)]),
  );
}

/** Whether a field was changed here and elsewhere, each time to something else. */
export function isContested(fields: Fields, before: FormDraft, now: FormDraft, saved: FormDraft): boolean {
  return Object.keys(fields).some((name) => {
    const [old, mine, theirs] = [before[name], now[name], saved[name]];
    const pairs = [[old, mine] as const, [old, theirs] as const, [mine, theirs] as const];
    return pairs.every(([one, other]) => differs(fields, name, one, other));
  });
}

type Pair = readonly [before: FieldDraft | undefined, now: FieldDraft | undefined];

function rebaseField(fields: Fields, name: string, [before, now]: Pair, saved: FieldDraft): FieldDraft {
  const field = fields[name];
  // A field that the manifest now declares otherwise cannot hold what was typed into the old one.
  if (field === undefined || now?.kind !== saved.kind || !differs(fields, name, before, now)) return saved;
  if (now.kind === 'secret' && saved.kind === 'secret') return { ...now, savedAt: saved.savedAt };
  if (now.kind !== 'rows' || saved.kind !== 'rows' || before?.kind !== 'rows' || field.type !== 'instances') return now;
  return { kind: 'rows', rows: now.rows.map((row) => rebaseRow(field.fields, before, row, saved)) };
}

/** A row keeps its key, so that whoever types in it stays there; once it is saved it has the server's id. */
function rebaseRow(fields: Fields, before: RowsDraft, row: RowDraft, saved: RowsDraft): RowDraft {
  const index = before.rows.findIndex(({ key }) => key === row.key);
  const old = before.rows[index];
  if (old === undefined) return row;
  const next = old.id === null ? saved.rows[index] : saved.rows.find(({ id }) => id === old.id);
  if (next === undefined) return row;
  return { key: row.key, id: next.id, fields: rebaseDraft(fields, old.fields, row.fields, next.fields) };
}

function differs(fields: Fields, name: string, one: FieldDraft | undefined, other: FieldDraft | undefined): boolean {
  return isChanged(fields, pick(name, one), pick(name, other));
}

function pick(name: string, draft: FieldDraft | undefined): FormDraft {
  return draft === undefined ? {} : { [name]: draft };
}
