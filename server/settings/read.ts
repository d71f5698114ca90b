import { ownValue } from '../../shared/json.ts';
import { isSecretField } from '../../shared/manifest/connector.ts';
import type { SettingField } from '../../shared/manifest/schema/settings.ts';
import { isSealed, rowsOf, type SettingsDocument, type StoredValue } from './document.ts';
import type { SettingIssue } from './save.ts';

/** What a reader of settings gets instead of a secret. */
interface MaskedSecret {
  $secret: true;
  saved_at: string;
}

/** The saved values as a form shows them: secrets as marks, unset fields as null. */
export function maskDocument(
  fields: Record<string, SettingField>,
  document: Record<string, StoredValue>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, maskValue(field, ownValue(document, name))]),
  );
}

function maskValue(field: SettingField, value: unknown): unknown {
  if (field.type === 'instances') {
    if (value === undefined) return null;
    return rowsOf(value).map((row) => ({ $id: row.$id, ...maskDocument(field.fields, row) }));
  }
  if (isSecretField(field))
    return isSealed(value) ? ({ $secret: true, saved_at: value.saved_at } satisfies MaskedSecret) : null;
  // A field that used to be a secret keeps its sealed value, which nobody may see through a changed manifest.
  return value === undefined || isSealed(value) ? null : value;
}

/** Saved fields that the manifest no longer declares. */
export function leftoverFields(fields: Record<string, SettingField>, document: SettingsDocument): string[] {
  return Object.keys(document).filter((name) => !Object.hasOwn(fields, name));
}

/** Required fields without a value or default, rows included: what stands between a connector and its first call. */
export function missingFields(
  fields: Record<string, SettingField>,
  document: Record<string, StoredValue>,
  prefix: readonly string[] = [],
): SettingIssue[] {
  return Object.entries(fields).flatMap(([name, field]): SettingIssue[] => {
    const path = [...prefix, name];
    const value: unknown = ownValue(document, name);
    if (field.type === 'instances') {
      const rows = rowsOf(value);
      if (rows.length === 0 && field.required === true) return [missing(path, field, 'needs at least one row')];
      return rows.flatMap((row, index) => missingFields(field.fields, row, [...path, String(index)]));
    }
    const isSet = isSecretField(field) ? isSealed(value) : value !== undefined && !isSealed(value);
    return field.required === true && !isSet && field.default === undefined
      ? [missing(path, field, 'is required')]
      : [];
  });
}

function missing(path: readonly string[], field: SettingField, message: string): SettingIssue {
  return { path: path.join('.'), label: field.label ?? path.at(-1) ?? '', message };
}
