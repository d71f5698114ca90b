import { isSecretField } from '../../shared/manifest/connector.ts';
import type { SettingField } from '../../shared/manifest/schema/settings.ts';
import { isSealed, rowsOf, type SettingsDocument, type StoredRow, type StoredValue } from './document.ts';
import type { LeafPlace } from './place.ts';

const TOP: LeafPlace = { fields: [], rowIds: [] };

/** Changes every sealed text of a document. Walks by the document's own shape, so that leftovers of earlier manifests are reached too. */
export function mapSealed<T extends Record<string, StoredValue>>(
  document: T,
  change: (sealed: string, place: LeafPlace) => string,
  place: LeafPlace = TOP,
): T {
  const entries = Object.entries(document).map(([name, value]): [string, StoredValue] => {
    const fields = [...place.fields, name];
    if (isSealed(value)) return [name, { ...value, $sealed: change(value.$sealed, { fields, rowIds: place.rowIds }) }];
    if (!isRows(value)) return [name, value];
    return [name, value.map((row) => mapSealed(row, change, { fields, rowIds: [...place.rowIds, row.$id] }))];
  });
  return Object.fromEntries(entries) as T; // same keys, same kinds of values
}

function isRows(value: StoredValue): value is StoredRow[] {
  return Array.isArray(value) && value.every((row) => typeof row === 'object' && row !== null && '$id' in row);
}

/** True when a field that is declared as a secret holds a value that was saved before it became one. */
export function hasPlainSecret(fields: Record<string, SettingField>, document: Record<string, StoredValue>): boolean {
  return Object.entries(fields).some(([name, field]) => {
    const value = Object.hasOwn(document, name) ? document[name] : undefined;
    if (field.type === 'instances') return rowsOf(value).some((row) => hasPlainSecret(field.fields, row));
    return isSecretField(field) && value !== undefined && value !== null && !isSealed(value);
  });
}

/** Seals such values. */
export function sealPlain(
  fields: Record<string, SettingField>,
  document: Record<string, StoredValue>,
  seal: (text: string, place: LeafPlace) => StoredValue,
  place: LeafPlace = TOP,
): SettingsDocument {
  const result: SettingsDocument = { ...document };
  for (const [name, field] of Object.entries(fields)) {
    const value = Object.hasOwn(document, name) ? document[name] : undefined;
    if (value === undefined || value === null || isSealed(value)) continue;
    const at: LeafPlace = { fields: [...place.fields, name], rowIds: place.rowIds };
    if (field.type === 'instances') {
      result[name] = rowsOf(value).map((row) => ({
        ...sealPlain(field.fields, row, seal, { fields: at.fields, rowIds: [...at.rowIds, row.$id] }),
        $id: row.$id,
      }));
    } else if (isSecretField(field)) {
      result[name] = seal(typeof value === 'string' ? value : JSON.stringify(value), at);
    }
  }
  return result;
}
