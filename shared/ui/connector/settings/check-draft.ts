import { isRecord } from '../../../json.ts';
import { INSTANCES_FIELD } from '../../../manifest/connector.ts';
import type { SettingField } from '../../../manifest/schema/settings.ts';
import type { FieldDraft, Fields, FormDraft, RowsDraft } from './draft.ts';

/** What is wrong, by the path of the field: `instances.1.base_url`. The words follow the field's label. */
export type Problems = ReadonlyMap<string, string>;

/** What can be told without asking the server. */
export function checkDraft(fields: Fields, draft: FormDraft): Problems {
  return new Map(problemsIn(fields, draft, []));
}

function* problemsIn(fields: Fields, draft: FormDraft, path: readonly string[]): Iterable<[string, string]> {
  for (const [name, field] of Object.entries(fields)) {
    const given = draft[name];
    if (given === undefined) continue;
    const at = [...path, name];
    const problem = problemOf(field, given, name);
    if (problem !== null) yield [at.join('.'), problem];
    if (given.kind === 'rows' && field.type === 'instances') {
      for (const [index, row] of given.rows.entries())
        yield* problemsIn(field.fields, row.fields, [...at, String(index)]);
    }
  }
}

function problemOf(field: SettingField, draft: FieldDraft, name: string): string | null {
  if (draft.kind === 'rows') return rowsProblem(field, draft, name);
  if (field.required === true && field.default === undefined && isEmpty(draft)) return 'is required';
  return draft.kind === 'text' && draft.text !== '' ? textProblem(field, draft.text) : null;
}

function isEmpty(draft: FieldDraft): boolean {
  switch (draft.kind) {
    case 'text':
      return draft.text.trim() === '';
    case 'flag':
      return draft.value === null;
    case 'secret':
      return draft.state === 'removed' || (draft.text === '' && draft.savedAt === null);
    case 'rows':
      return draft.rows.length === 0;
  }
}

function rowsProblem(field: SettingField, draft: RowsDraft, name: string): string | null {
  if (field.required === true && draft.rows.length === 0) return 'needs at least one row';
  // Only rows of this name are chosen by name.
  if (name !== INSTANCES_FIELD) return null;
  const names = draft.rows.map((row) => row.fields['name']).flatMap((own) => (own?.kind === 'text' ? [own.text] : []));
  const twin = names.find((text, index) => text !== '' && names.indexOf(text) !== index);
  return twin === undefined ? null : `has two rows called ${JSON.stringify(twin)}`;
}

function textProblem(field: SettingField, text: string): string | null {
  switch (field.type) {
    case 'number':
      return isNumber(text) ? null : 'must be a number';
    case 'integer':
      return isNumber(text) && Number.isInteger(Number(text)) ? null : 'must be a whole number';
    case 'json':
    case 'object':
      return jsonProblem(text, field.type === 'object');
    default:
      return null;
  }
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}

function jsonProblem(text: string, mustBeObject: boolean): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return mustBeObject && !isRecord(value) ? 'must be a JSON object' : null;
  } catch (error) {
    return `is not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The server's own list of what is wrong, by the same paths. */
export function problemsOfAnswer(details: unknown): Problems {
  const list = Array.isArray(details) ? details.filter(isRecord) : [];
  return new Map(
    list.flatMap(({ path, message }): [string, string][] =>
      typeof path === 'string' && typeof message === 'string' ? [[path, message]] : [],
    ),
  );
}

/** What is still wrong after a change: what can be seen here to be wrong, and what the server said of a field nobody has touched since. */
export function remainingProblems(problems: Problems, fields: Fields, before: FormDraft, now: FormDraft): Problems {
  if (problems.size === 0) return problems;
  const wrong = checkDraft(fields, now);
  return new Map(
    [...problems].filter(([path]) => {
      const place = path.split('.');
      return wrong.has(path) || draftAt(before, place) === draftAt(now, place);
    }),
  );
}

/** The field at a path such as `instances.1.base_url`; undefined where there is none. */
function draftAt(draft: FormDraft, [name = '', index, ...rest]: readonly string[]): FieldDraft | undefined {
  const found = Object.hasOwn(draft, name) ? draft[name] : undefined;
  if (index === undefined || found?.kind !== 'rows') return found;
  const row = found.rows[Number(index)];
  return row === undefined ? undefined : draftAt(row.fields, rest);
}

/** How many problems are at a place or inside it. */
export function countProblems(problems: Problems, path: string): number {
  return [...problems.keys()].filter((key) => key === path || key.startsWith(`${path}.`)).length;
}
