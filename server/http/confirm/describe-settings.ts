import { isRecord } from '../../../shared/json.ts';
import type { SettingsPlan } from '../../settings/settings.ts';
import type { Described, DescribedLine } from './confirmations.ts';
import { shownValue } from './describe-request.ts';

/** A row of `instances` is recognised by its id; its number or name means nothing to the comparison. */
const ROW_ID = '$id';

/** What saving would change, and nothing of what stays as it is. */
export function describeSettings(of: string, { before, after }: SettingsPlan): Described {
  const old = leaves(before);
  const now = leaves(after);
  const lines = [...new Set([...now.keys(), ...old.keys()])].flatMap((path) =>
    changed(path, old.get(path), now.get(path)),
  );
  return {
    title: `Save the settings of ${of}`,
    verb: 'Save',
    lines: lines.length > 0 ? lines : [{ label: 'Changes', text: 'none' }],
  };
}

function changed(label: string, before: unknown, after: unknown): DescribedLine[] {
  if (JSON.stringify(before ?? null) === JSON.stringify(after ?? null)) return [];
  if (isEmpty(after))
    return [{ label, text: isSecret(before) ? 'the secret is removed' : `is removed (was ${shownValue(before)})` }];
  if (isSecret(after))
    return [{ label, text: isSecret(before) ? 'a new secret replaces the old one' : 'a new secret' }];
  return [{ label, text: `becomes ${shownValue(after)}${isEmpty(before) ? '' : ` (was ${shownValue(before)})`}` }];
}

function leaves(value: unknown, path = ''): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const add = (inner: unknown, place: string): void => {
    for (const [name, leaf] of leaves(inner, place)) found.set(name, leaf);
  };
  if (isRecord(value) && !isSecret(value)) {
    for (const [name, each] of Object.entries(value))
      if (name !== ROW_ID) add(each, path === '' ? name : `${path}.${name}`);
  } else if (Array.isArray(value) && value.some((row) => isRecord(row) && ROW_ID in row)) {
    value.forEach((row: unknown, index) => add(row, `${path}[${rowName(row, index)}]`));
  } else found.set(path, value);
  return found;
}

/** A row that moved is the same row. */
function rowName(row: unknown, index: number): string {
  const { name, [ROW_ID]: id } = isRecord(row) ? row : {};
  const called = typeof name === 'string' && name !== '' ? name : String(index + 1);
  return typeof id === 'string' ? `${called} #${id.slice(0, 6)}` : called;
}

function isSecret(value: unknown): boolean {
  return isRecord(value) && value['$secret'] === true;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null;
}
