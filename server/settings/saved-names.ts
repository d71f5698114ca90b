import { INSTANCES_FIELD, instanceFields } from '../../shared/manifest/connector.ts';
import type { SettingField } from '../../shared/manifest/schema/settings.ts';
import { rowsOf, type SettingsDocument } from './document.ts';

/**
 * Names whose values come from a person once a row is laid over the settings. The default of one of its columns hides what was
 * saved under the same name, and what another row holds says nothing about this one.
 */
export function savedNames(
  fields: Readonly<Record<string, SettingField>>,
  document: SettingsDocument,
  instance: string | undefined,
): ReadonlySet<string> {
  const columns = instanceFields(fields);
  if (columns === null) return new Set(Object.keys(document));
  const rows = rowsOf(document[INSTANCES_FIELD]);
  const row = instance === undefined ? rows[0] : rows.find(({ name }) => name === instance);
  const shown = Object.keys(document).filter((name) => columns[name]?.default === undefined);
  return new Set([...shown, ...Object.keys(row ?? {})]);
}
