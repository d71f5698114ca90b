import { isRecord, ownValue } from '../../../json.ts';
import { isSecretField } from '../../../manifest/connector.ts';
import type { SettingField } from '../../../manifest/schema/settings.ts';

export type Fields = Record<string, SettingField>;

/** A field while it is edited. Everything typed stays text until it is sent, so that nothing is lost on the way. */
export type FieldDraft = TextDraft | FlagDraft | SecretDraft | RowsDraft;

interface TextDraft {
  kind: 'text';
  text: string;
}

export interface FlagDraft {
  kind: 'flag';
  /** Null: nobody has decided, so the default counts. */
  value: boolean | null;
}

/** `kept` is a saved secret nobody touches; `typed` takes a new one, `removed` takes the saved one away. */
export interface SecretDraft {
  kind: 'secret';
  state: 'kept' | 'typed' | 'removed';
  text: string;
  /** Null when there is no saved one. */
  savedAt: string | null;
}

export interface RowsDraft {
  kind: 'rows';
  rows: RowDraft[];
}

export interface RowDraft {
  /** Tells rows apart on the screen; the server's id where there is one. */
  key: string;
  id: string | null;
  fields: Record<string, FieldDraft>;
}

export type FormDraft = Record<string, FieldDraft>;

/** The form of what is saved. */
export function draftOf(fields: Fields, values: Record<string, unknown>): FormDraft {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, fieldDraft(field, ownValue(values, name))]),
  );
}

let newRows = 0;

/** A row that nobody has saved yet. */
export function newRow(fields: Fields): RowDraft {
  newRows += 1;
  return { key: `new-${newRows}`, id: null, fields: draftOf(fields, {}) };
}

function fieldDraft(field: SettingField, value: unknown): FieldDraft {
  if (field.type === 'instances')
    return { kind: 'rows', rows: rowsIn(value).map((row) => rowDraft(field.fields, row)) };
  if (isSecretField(field)) return secretDraft(value);
  if (field.type === 'boolean') return { kind: 'flag', value: typeof value === 'boolean' ? value : null };
  return { kind: 'text', text: textOf(field, value) };
}

function rowsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function rowDraft(fields: Fields, row: Record<string, unknown>): RowDraft {
  const id = typeof row['$id'] === 'string' ? row['$id'] : null;
  return { ...newRow({}), ...(id === null ? {} : { key: id }), id, fields: draftOf(fields, row) };
}

function secretDraft(value: unknown): SecretDraft {
  const isSaved = isRecord(value) && value['$secret'] === true;
  const savedAt = isSaved && typeof value['saved_at'] === 'string' ? value['saved_at'] : isSaved ? '' : null;
  return { kind: 'secret', state: isSaved ? 'kept' : 'typed', text: '', savedAt };
}

function textOf(field: SettingField, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string' && field.type !== 'json') return value;
  return field.type === 'json' || field.type === 'object' ? JSON.stringify(value, null, 2) : JSON.stringify(value);
}

/** What is sent to the server. An empty field is removed; a secret nobody touched travels as a mark. */
export function valuesOf(fields: Fields, draft: FormDraft): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, valueOf(field, ownValue(draft, name))]),
  );
}

function valueOf(field: SettingField, draft: unknown): unknown {
  // The draft was made from these very fields.
  const given = draft as FieldDraft | undefined;
  if (given === undefined) return null;
  switch (given.kind) {
    case 'flag':
      return given.value;
    case 'secret':
      return secretValue(given);
    case 'rows':
      if (field.type !== 'instances' || given.rows.length === 0) return null;
      return given.rows.map((row) => ({
        ...(row.id === null ? {} : { $id: row.id }),
        ...valuesOf(field.fields, row.fields),
      }));
    case 'text':
      return textValue(field, given.text);
  }
}

function secretValue({ state, text, savedAt }: SecretDraft): unknown {
  if (state === 'removed') return null;
  if (state === 'typed' && text !== '') return text;
  return savedAt === null ? null : { $secret: true };
}

/** Text that cannot be read as its type is sent as it is; the server says what is wrong with it. */
function textValue(field: SettingField, text: string): unknown {
  if (text === '') return null;
  switch (field.type) {
    case 'number':
    case 'integer': {
      const number = Number(text);
      return text.trim() === '' || !Number.isFinite(number) ? text : number;
    }
    case 'select':
      return field.options.find((option) => String(option) === text) ?? text;
    case 'json':
    case 'object':
      return parsedOr(text);
    default:
      return text;
  }
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether a save would change anything. */
export function isChanged(fields: Fields, before: FormDraft, now: FormDraft): boolean {
  return JSON.stringify(valuesOf(fields, before)) !== JSON.stringify(valuesOf(fields, now));
}

/** Whether a row holds a secret, saved or just typed; losing one is worth a question. */
export function holdsSecret(row: RowDraft): boolean {
  return Object.values(row.fields).some((draft) => {
    if (draft.kind === 'rows') return draft.rows.some(holdsSecret);
    return draft.kind === 'secret' && (draft.savedAt !== null || draft.text !== '');
  });
}

/** The same rows with one at another position. */
export function moved<T>(rows: readonly T[], from: number, to: number): T[] {
  const target = Math.max(0, Math.min(rows.length - 1, to));
  const next = [...rows];
  next.splice(target, 0, ...next.splice(from, 1));
  return next;
}
