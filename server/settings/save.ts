import { randomUUID } from 'node:crypto';
import { isForbiddenKey, isRecord, ownValue, type JsonValue } from '../../shared/json.ts';
import { INSTANCES_FIELD, isSecretField } from '../../shared/manifest/connector.ts';
import { closestWord } from '../../shared/manifest/did-you-mean.ts';
import type { SettingField } from '../../shared/manifest/schema/settings.ts';
import { isBaseUrl } from '../../shared/template/url-values.ts';
import { secretWarning } from '../secrets/secret-strength.ts';
import { coerce } from './coerce.ts';
import { isSealed, rowsOf, type SettingsDocument, type StoredRow, type StoredValue } from './document.ts';
import type { LeafPlace } from './place.ts';

/** What is wrong with one field, in the words of the form. */
export interface SettingIssue {
  path: string;
  label: string;
  message: string;
}

export interface SaveInput {
  fields: Record<string, SettingField>;
  stored: SettingsDocument;
  values: Record<string, unknown>;
  /** Settings that end up in a header and therefore cannot hold line breaks. */
  headerSettings: ReadonlySet<string>;
  /** Settings that an address begins with. */
  addressSettings: ReadonlySet<string>;
  seal: (text: string, place: LeafPlace) => string;
  now: () => Date;
  newId?: () => string;
}

const MAX_ROWS = 200;
/** A secret that is another connector's has been judged there. */
const REFERENCE = /\{connector:/;

/** A place in the form: the leaf's, and the path a person's form knows it by, with the positions of rows in it. */
interface FormPlace extends LeafPlace {
  path: readonly string[];
}

interface Walk {
  input: SaveInput;
  issues: SettingIssue[];
  warnings: SettingIssue[];
  newId: () => string;
}

interface Applied {
  document: SettingsDocument;
  issues: SettingIssue[];
  /** What is saved, and still worth a word. */
  warnings: SettingIssue[];
}

/** Lays submitted values over the stored document. Fields that are left out stay as they are; nothing is sealed when anything is wrong. */
export function applyValues(input: SaveInput): Applied {
  const walk: Walk = { input, issues: [], warnings: [], newId: input.newId ?? (() => randomUUID().slice(0, 13)) };
  const plan = planFields(walk, input.fields, input.values, input.stored, { fields: [], rowIds: [], path: [] });
  const { issues, warnings } = walk;
  if (issues.length > 0) return { document: input.stored, issues, warnings: [] };
  return { document: { ...keepUndeclared(input), ...runPlan(plan) }, issues, warnings };
}

/** A planned value: sealing waits until the whole submission is known to be good. */
type Planned =
  | { value: StoredValue }
  | { seal: () => StoredValue }
  | { rows: { id: string; fields: Map<string, Planned> }[] };

function planFields(
  walk: Walk,
  fields: Record<string, SettingField>,
  values: Record<string, unknown>,
  stored: Record<string, StoredValue>,
  place: FormPlace,
): Map<string, Planned> {
  const planned = new Map<string, Planned>();
  reportUnknown(walk, fields, values, stored, place);
  for (const [name, field] of Object.entries(fields)) {
    const old = ownValue(stored, name) as StoredValue | undefined; // read from a stored document
    const given = Object.hasOwn(values, name) ? values[name] : undefined;
    const at: FormPlace = { fields: [...place.fields, name], rowIds: place.rowIds, path: [...place.path, name] };
    if (given === undefined) {
      if (old !== undefined) planned.set(name, { value: old });
    } else if (given !== null) {
      const plan = planField(walk, field, given, old, at);
      if (plan !== null) planned.set(name, plan);
    }
  }
  return planned;
}

function planField(
  walk: Walk,
  field: SettingField,
  given: unknown,
  old: StoredValue | undefined,
  place: FormPlace,
): Planned | null {
  if (field.type === 'instances') return planRows(walk, field.fields, given, rowsOf(old), place, field);
  if (isSecretField(field)) return planSecret(walk, field, given, old, place);
  const result = coerce(field, given);
  if ('problem' in result) return report(walk, field, place, result.problem);
  if (result.value === '') return null;
  if (hasLineBreak(walk, place, result.value))
    return report(walk, field, place, 'holds a line break, and it is sent in a header');
  if (isNoAddress(walk, place, result.value)) return report(walk, field, place, addressProblem(result.value));
  return { value: result.value };
}

function planSecret(
  walk: Walk,
  field: SettingField,
  given: unknown,
  old: StoredValue | undefined,
  place: FormPlace,
): Planned | null {
  if (isRecord(given) && given['$secret'] === true) {
    if (isSealed(old)) return { value: old };
    return report(walk, field, place, 'has no saved value to keep; give the secret itself');
  }
  if (typeof given !== 'string') return report(walk, field, place, 'must be text');
  if (given === '') return null;
  if (hasLineBreak(walk, place, given)) {
    return report(walk, field, place, 'holds a line break, and it is sent in a header; paste it again as one line');
  }
  // What is wrong with a secret is said without repeating it.
  if (isNoAddress(walk, place, given)) return report(walk, field, place, addressProblem(''));
  const warning = REFERENCE.test(given) ? null : secretWarning(given);
  if (warning !== null) walk.warnings.push(issueAt(field, place, warning));
  const saved_at = walk.input.now().toISOString();
  return { seal: () => ({ $sealed: walk.input.seal(given, place), saved_at }) };
}

function planRows(
  walk: Walk,
  fields: Record<string, SettingField>,
  given: unknown,
  old: readonly StoredRow[],
  place: FormPlace,
  field: SettingField,
): Planned | null {
  const parsed = coerce({ type: 'json' }, given);
  // Text that is no JSON is no list either; of a list, what is wrong with it is worth knowing.
  if ('problem' in parsed && looksLikeList(given)) return report(walk, field, place, parsed.problem);
  const list: unknown = 'value' in parsed ? parsed.value : null;
  if (!Array.isArray(list) || !list.every(isRecord)) return report(walk, field, place, 'must be a list of rows');
  if (list.length > MAX_ROWS) return report(walk, field, place, `has ${list.length} rows; the limit is ${MAX_ROWS}`);
  reportTwins(walk, list, place, field);
  const used = new Set<string>();
  const rows = list.map((row, index) => {
    const match = matchRow(row, old, used);
    const id = match?.$id ?? walk.newId();
    used.add(id);
    const { $id: _id, ...values } = row;
    const at = { fields: place.fields, rowIds: [...place.rowIds, id], path: [...place.path, String(index)] };
    return { id, index, fields: planFields(walk, fields, values, withoutId(match), at) };
  });
  return { rows };
}

function looksLikeList(given: unknown): boolean {
  return Array.isArray(given) || (typeof given === 'string' && given.trimStart().startsWith('['));
}

/** A row is the one with its id; without ids, the one with its name, if only one has it. */
function matchRow(
  row: Record<string, unknown>,
  old: readonly StoredRow[],
  used: ReadonlySet<string>,
): StoredRow | undefined {
  if (typeof row['$id'] === 'string')
    return old.find((candidate) => candidate.$id === row['$id'] && !used.has(candidate.$id));
  const named = old.filter(
    (candidate) => row['name'] !== undefined && candidate['name'] === row['name'] && !used.has(candidate.$id),
  );
  return named.length === 1 ? named[0] : undefined;
}

function withoutId(row: StoredRow | undefined): Record<string, StoredValue> {
  if (row === undefined) return {};
  const { $id: _id, ...fields } = row;
  return fields;
}

function reportTwins(
  walk: Walk,
  rows: readonly Record<string, unknown>[],
  place: FormPlace,
  field: SettingField,
): void {
  if (place.fields.at(-1) !== INSTANCES_FIELD) return;
  const names = rows
    .map((row) => row['name'])
    .filter((name): name is string => typeof name === 'string' && name !== '');
  if (names.length < rows.length) report(walk, field, place, 'has a row without a name; a row is chosen by its name');
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) report(walk, field, place, `has two rows called ${JSON.stringify(twin)}`);
}

function reportUnknown(
  walk: Walk,
  fields: Record<string, SettingField>,
  values: Record<string, unknown>,
  stored: Record<string, StoredValue>,
  place: FormPlace,
): void {
  for (const name of Object.keys(values)) {
    if (Object.hasOwn(fields, name) && !isForbiddenKey(name)) continue;
    const isLeftover = place.fields.length === 0 && Object.hasOwn(stored, name);
    if (isLeftover && values[name] === null) continue;
    const near = closestWord(name, Object.keys(fields));
    const meant = near === null ? '' : `; did you mean ${near}?`;
    const message = isLeftover
      ? 'is no longer part of the connector and can only be removed'
      : `is not a setting of this connector${meant}`;
    walk.issues.push({ path: [...place.path, name].join('.').slice(0, 200), label: name.slice(0, 100), message });
  }
}

/** Values whose field left the manifest stay, unless they are removed by name. */
function keepUndeclared({ fields, stored, values }: SaveInput): SettingsDocument {
  return Object.fromEntries(
    Object.entries(stored).filter(
      ([name]) => !Object.hasOwn(fields, name) && !(Object.hasOwn(values, name) && values[name] === null),
    ),
  );
}

function hasLineBreak(walk: Walk, place: FormPlace, value: JsonValue): boolean {
  const name = place.fields.at(-1) ?? '';
  // Control characters are what an HTTP header cannot carry.
  return (
    typeof value === 'string' && walk.input.headerSettings.has(name) && /[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)
  );
}

function isNoAddress(walk: Walk, place: FormPlace, value: JsonValue): value is string {
  if (typeof value !== 'string' || !walk.input.addressSettings.has(place.fields.at(-1) ?? '')) return false;
  return !REFERENCE.test(value) && !isBaseUrl(value);
}

function addressProblem(value: string): string {
  const meant = `https://${value.trim()}`;
  const example = isBaseUrl(meant) && !value.includes(':/') ? meant : 'https://service.example.com';
  return `must be a full address that starts with https:// or http://, such as ${example}`;
}

function report(walk: Walk, field: SettingField, place: FormPlace, message: string): null {
  walk.issues.push(issueAt(field, place, message));
  return null;
}

function issueAt(field: SettingField, { path, fields }: FormPlace, message: string): SettingIssue {
  return { path: path.join('.'), label: field.label ?? fields.at(-1) ?? '', message };
}

function runPlan(plan: Map<string, Planned>): SettingsDocument {
  return Object.fromEntries([...plan].map(([name, planned]) => [name, runPlanned(planned)]));
}

function runPlanned(planned: Planned): StoredValue {
  if ('value' in planned) return planned.value;
  if ('seal' in planned) return planned.seal();
  return planned.rows.map((row) => ({ ...runPlan(row.fields), $id: row.id }));
}
