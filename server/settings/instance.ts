import { briefValue } from '../../shared/brief-value.ts';
import { ForgeError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { INSTANCES_FIELD } from '../../shared/manifest/connector.ts';
import { isEmpty } from '../../shared/template/scope.ts';
import type { ResolvedSettings } from './resolve.ts';

/**
 * Lays the chosen row over the settings; what the row leaves empty keeps the value of the top level. Left out means the first row; a name
 * that is not there is an error, never a guess.
 */
export function overlayInstance(settings: ResolvedSettings, chosen: string | undefined): ResolvedSettings {
  const { [INSTANCES_FIELD]: list, ...rest } = settings;
  const rows = Array.isArray(list) ? list.filter(isRecord) : [];
  const names = rows.map((row) => String(row['name']));
  if (rows.length === 0) {
    throw new ForgeError('setting_missing', 'no instance has been set up yet', {
      hint: 'Add one under Settings → Connectors.',
    });
  }
  const row = chosen === undefined ? rows[0] : rows.find((candidate) => candidate['name'] === chosen);
  if (row === undefined) {
    throw new ForgeError(
      'unknown_instance',
      `there is no instance called ${briefValue(chosen)}; there are ${names.join(', ')}`,
    );
  }
  const filled = Object.entries(row).filter(([name, value]) => isFilled(value) || !Object.hasOwn(rest, name));
  return { ...rest, ...Object.fromEntries(filled) };
}

/** A row of rows is never missing, so an empty list is what nobody has filled in. */
function isFilled(value: unknown): boolean {
  return !isEmpty(value) && !(Array.isArray(value) && value.length === 0);
}
