import type { SettingsAnswer } from '../../shared/api.ts';
import { FORGE } from '../../shared/forge-command.ts';
import { isSecretField } from '../../shared/manifest/connector.ts';
import type { SettingField } from '../../shared/manifest/schema/settings.ts';

/** The command that fills in what is missing, ready to be completed and run. */
export function nextSettingsCommand(id: string, schema: unknown, missing: SettingsAnswer['missing']): string {
  // The server sends the fields as the manifest declares them.
  const fields = schema as Record<string, SettingField>;
  const options = missing.flatMap(({ path }) => optionsFor(fields, path.split('.'), ''));
  return [`${FORGE} connector settings`, id, ...options].join(' ');
}

/** Path segments name fields and, inside rows, the row's number. */
function optionsFor(fields: Record<string, SettingField>, path: readonly string[], prefix: string): string[] {
  const [name = '', row, ...rest] = path;
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field?.type === 'instances') {
    if (row !== undefined) return optionsFor(field.fields, rest, `${prefix}${name}.${row}.`);
    const needed = Object.entries(field.fields).filter(
      ([column, { required }]) => required === true && column !== 'name',
    );
    return needed.flatMap(([column]) => optionsFor(field.fields, [column], `${prefix}${name}.NAME.`));
  }
  return [field !== undefined && isSecretField(field) ? `--secret ${prefix}${name}` : `--set ${prefix}${name}=…`];
}
