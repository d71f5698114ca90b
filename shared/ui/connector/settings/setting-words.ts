import type { SettingField } from '../../../manifest/schema/settings.ts';

/** What stands above a field. */
export function labelOf(field: SettingField, name: string): string {
  return field.label ?? name;
}

/** What stands below it, the default included: it counts while the field is empty. */
export function helpOf(field: SettingField): string {
  const isShown = field.default !== undefined && field.type !== 'instances' && field.type !== 'boolean';
  const fallback = isShown ? `Default: ${shown(field.default)}.` : '';
  return [field.description, field.help, fallback].filter((part) => part !== undefined && part !== '').join(' ');
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
