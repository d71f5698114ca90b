import type { SettingsAnswer } from '../../shared/api.ts';
import { isRecord, ownValue } from '../../shared/json.ts';
import type { SettingField } from '../../shared/manifest/schema/settings.ts';
import type { Cell } from './table.ts';
import { safeLine, type Terminal } from './terminal.ts';

const HIDDEN = '•••••';

interface Walk {
  missing: ReadonlySet<string>;
  rows: Cell[][];
}

/** The settings as a person reads them: one line for each field, rows unfolded, secrets never shown. */
export function printSettings(terminal: Terminal, answer: SettingsAnswer): void {
  const walk: Walk = { missing: new Set(answer.missing.map(({ path }) => path)), rows: [] };
  // The server sends the fields as the manifest declares them.
  addFields(walk, answer.schema as Record<string, SettingField>, answer.values, '', '');
  for (const name of answer.leftover) {
    walk.rows.push([
      '',
      safeLine(name),
      '',
      { text: `left over from an earlier version; remove it with --unset ${safeLine(name)}`, style: 'yellow' },
    ]);
  }
  if (walk.rows.length === 0) terminal.out('This connector has no settings.');
  else
    terminal.table(
      [{ title: 'label' }, { title: 'name' }, { title: 'value', flexible: true }, { title: '' }],
      walk.rows,
    );
}

/** `shown` leads to a row by its name, `numbered` by its number, as the server counts them. */
function addFields(
  walk: Walk,
  fields: Record<string, SettingField>,
  values: Record<string, unknown>,
  shown: string,
  numbered: string,
): void {
  for (const [name, field] of Object.entries(fields)) {
    const value = ownValue(values, name);
    const label = safeLine(field.label ?? '');
    const isMissing = walk.missing.has(numbered + name);
    const [text, note] = field.type === 'instances' ? [rowCount(value), ''] : cellsOf(field, value);
    const cell: Cell = isMissing
      ? { text: 'required, missing', style: 'red' }
      : note === '' && field.required === true
        ? 'required'
        : note;
    walk.rows.push([label, safeLine(shown + name), text, cell]);
    if (field.type !== 'instances' || !Array.isArray(value)) continue;
    for (const [index, row] of value.filter(isRecord).entries()) {
      const rowName = typeof row['name'] === 'string' ? row['name'] : String(index);
      addFields(walk, field.fields, row, `${shown}${name}.${rowName}.`, `${numbered}${name}.${index}.`);
    }
  }
}

function rowCount(value: unknown): string {
  const count = Array.isArray(value) ? value.length : 0;
  return count === 1 ? '(1 row)' : `(${count} rows)`;
}

function cellsOf(field: SettingField, value: unknown): [string, string] {
  if (isRecord(value) && value['$secret'] === true) {
    const savedAt = typeof value['saved_at'] === 'string' ? value['saved_at'].slice(0, 10) : '';
    return [HIDDEN, `saved ${savedAt}`];
  }
  if (value === null || value === undefined)
    return field.default === undefined ? ['', ''] : [asText(field.default), 'default'];
  return [asText(value), ''];
}

function asText(value: unknown): string {
  return safeLine(typeof value === 'string' ? value : JSON.stringify(value));
}
