import { FORGE } from '../../shared/forge-command.ts';
import { isForbiddenKey, isRecord, ownValue } from '../../shared/json.ts';
import { isSecretField } from '../../shared/manifest/connector.ts';
import type { SettingField } from '../../shared/manifest/schema/settings.ts';
import { UsageError } from './usage-error.ts';

type Fields = Record<string, SettingField>;
type Values = Record<string, unknown>;

/** Where a path leads: a field in its record, or a row in its list. */
type Place = { record: Values; key: string; field: SettingField | undefined } | { rows: Values[]; row: Values };

export type SettingsDraft = ReturnType<typeof draftSettings>;

/**
 * Changes to be saved, on top of what is saved. Paths lead into rows by the row's name (`instances.prod.base_url`) or, for
 * rows without one, by its number. Names that the connector does not have are passed on: the server knows what was meant.
 */
export function draftSettings(fields: Fields, saved: Values) {
  const draft: Values = {};
  const touch = (path: string, mayAdd: boolean): Place => {
    const name = path.split('.', 1)[0] ?? '';
    if (isRows(fields, name) && draft[name] === undefined) draft[name] = copyRows(saved[name]);
    return locate(draft, fields, path, path, mayAdd);
  };
  return {
    /** The field a path leads to; undefined for a name that the connector does not have. */
    field: (path: string): SettingField | undefined => fieldAt(fields, path, saved),
    set(path: string, value: string): void {
      const place = touch(path, true);
      if ('rows' in place)
        throw new UsageError(`${path} is a row, not a field`, `Name the field too, such as ${path}.base_url.`);
      place.record[place.key] = value;
    },
    unset(path: string): void {
      const place = touch(path, false);
      if ('rows' in place) place.rows.splice(place.rows.indexOf(place.row), 1);
      else place.record[place.key] = null;
    },
    /** What to send: fields that were not touched are left out and stay as they are. */
    changes: (): Values => draft,
  };
}

function locate(record: Values, fields: Fields, path: string, whole: string, mayAdd: boolean): Place {
  if (path.split('.').some((part) => part === '' || isForbiddenKey(part))) {
    throw new UsageError(
      `${JSON.stringify(whole)} is not the name of a setting`,
      `Use names as \`${FORGE} connector settings ID\` shows them.`,
    );
  }
  const [name, rest] = splitAtDot(path);
  const field = ownField(fields, name);
  if (field?.type !== 'instances' || rest === null)
    return { record, key: field === undefined ? path : rest === null ? name : path, field };
  const rows = rowsIn(record, name);
  const [rowName, column] = splitAtRow(rest, rows);
  let row = findRow(rows, rowName);
  if (row === undefined) {
    if (!mayAdd) throw noSuchRow(whole, rowName, rows);
    row = Object.hasOwn(field.fields, 'name') ? { name: rowName } : {};
    rows.push(row);
  }
  return column === null ? { rows, row } : locate(row, field.fields, column, whole, mayAdd);
}

/** Follows a path through the declaration only. */
function fieldAt(fields: Fields, path: string, saved: unknown): SettingField | undefined {
  const [name, rest] = splitAtDot(path);
  const field = ownField(fields, name);
  if (rest === null) return field;
  if (field?.type !== 'instances') return undefined;
  const rows = copyRows(ownValue(saved, name));
  const [rowName, column] = splitAtRow(rest, rows);
  return column === null ? undefined : fieldAt(field.fields, column, findRow(rows, rowName));
}

/** True when a list of rows given as JSON holds a secret in plain text. */
export function holdsSecret(field: SettingField, value: unknown): boolean {
  if (isSecretField(field)) return typeof value === 'string';
  if (field.type !== 'instances' || !Array.isArray(value)) return false;
  return value
    .filter(isRecord)
    .some((row) => Object.entries(field.fields).some(([name, column]) => holdsSecret(column, ownValue(row, name))));
}

/** Rows as they are sent back: empty fields are left out, so that saving a row changes nothing but what was asked for. */
function copyRows(value: unknown): Values[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map((row) => {
    const filled = Object.entries(row).filter(([, cell]) => cell !== null);
    return Object.fromEntries(filled.map(([name, cell]) => [name, Array.isArray(cell) ? copyRows(cell) : cell]));
  });
}

function rowsIn(record: Values, name: string): Values[] {
  const rows = Array.isArray(record[name]) ? record[name].filter(isRecord) : [];
  record[name] = rows;
  return rows;
}

function findRow(rows: readonly Values[], name: string): Values | undefined {
  return rows.find((row) => row['name'] === name) ?? (/^\d{1,4}$/.test(name) ? rows[Number(name)] : undefined);
}

function splitAtDot(path: string): [string, string | null] {
  const dot = path.indexOf('.');
  return dot < 0 ? [path, null] : [path.slice(0, dot), path.slice(dot + 1)];
}

/** A row's name may hold dots itself: the longest name that is there wins. */
function splitAtRow(path: string, rows: readonly Values[]): [string, string | null] {
  const names = rows.map((row) => String(row['name'])).filter((name) => path === name || path.startsWith(`${name}.`));
  const longest = names.sort((a, b) => b.length - a.length)[0];
  if (longest === undefined) return splitAtDot(path);
  return [longest, path === longest ? null : path.slice(longest.length + 1)];
}

function isRows(fields: Fields, name: string): boolean {
  return ownField(fields, name)?.type === 'instances';
}

function ownField(fields: Fields, name: string): SettingField | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function noSuchRow(path: string, name: string, rows: readonly Values[]): UsageError {
  const names = rows.map((row) => String(row['name'])).join(', ');
  return new UsageError(
    `${path}: there is no row called ${name}`,
    names === '' ? 'There are no rows.' : `The rows are ${names}.`,
  );
}
