import { INSTANCES_FIELD, instanceFields, isSecretField } from '../../shared/manifest/connector.ts';
import type { SettingField } from '../../shared/manifest/schema/settings.ts';
import { rowsOf, type SettingsDocument } from './document.ts';

/**
 * The names a call may give for its instance, in the order of the rows. Empty unless every name is known: a list that lacks one would
 * keep a client from using it, and a name that is a secret or refers to another connector is not told.
 */
export function instanceNames(
  fields: Readonly<Record<string, SettingField>>,
  document: SettingsDocument,
): readonly string[] {
  const name = instanceFields(fields)?.['name'];
  if (name === undefined || isSecretField(name)) return [];
  const names = rowsOf(document[INSTANCES_FIELD]).map((row): unknown => row['name'] ?? name.default);
  return names.every(isPlainName) ? [...new Set(names)] : [];
}

function isPlainName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && !name.includes('{connector:');
}
