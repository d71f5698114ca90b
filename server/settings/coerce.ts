import { briefValue } from '../../shared/brief-value.ts';
import { isRecord, type JsonValue } from '../../shared/json.ts';
import type { SettingField } from '../../shared/manifest/schema/settings.ts';

/** Longer than any token, key or JSON snippet that belongs into a form. */
const MAX_TEXT = 64 * 1024;

type Coerced = { value: JsonValue } | { problem: string };
type Coercer = (given: unknown, field: SettingField) => Coerced;

const text: Coercer = (given) => {
  if (typeof given === 'number') return { value: String(given) };
  if (typeof given !== 'string') return { problem: `must be text, not ${kindOf(given)}` };
  if (!given.isWellFormed() || given.includes('\0')) return { problem: 'holds characters that cannot be stored' };
  return given.length > MAX_TEXT ? { problem: `is longer than ${MAX_TEXT} characters` } : { value: given };
};

const number: Coercer = (given) => {
  const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  return typeof value === 'number' && Number.isFinite(value)
    ? { value }
    : { problem: `must be a number, not ${kindOf(given)}` };
};

const integer: Coercer = (given, field) => {
  const result = number(given, field);
  return 'value' in result && !Number.isInteger(result.value) ? { problem: 'must be a whole number' } : result;
};

const boolean: Coercer = (given) => {
  if (typeof given === 'boolean') return { value: given };
  if (given === 'true' || given === 'false') return { value: given === 'true' };
  return { problem: `must be true or false, not ${kindOf(given)}` };
};

const select: Coercer = (given, field) => {
  const options = field.type === 'select' ? field.options : [];
  const option = options.find((candidate) => candidate === given || String(candidate) === given);
  return option === undefined ? { problem: `must be one of ${options.join(', ')}` } : { value: option };
};

const json: Coercer = (given) => {
  let value = given;
  if (typeof given === 'string') {
    if (given.length > MAX_TEXT) return { problem: `is longer than ${MAX_TEXT} characters` };
    try {
      value = JSON.parse(given);
    } catch (error) {
      return { problem: `is not valid JSON: ${error instanceof Error ? error.message : String(error)}` };
    }
  }
  const written = JSON.stringify(value);
  if (written.length > MAX_TEXT) return { problem: `is longer than ${MAX_TEXT} characters` };
  // That key marks sealed secrets in the database, so a value of its own may not carry it.
  if (written.includes('"$sealed"')) return { problem: 'cannot hold the key $sealed' };
  return { value: value as JsonValue }; // it came through JSON.parse, here or in the request
};

const object: Coercer = (given, field) => {
  const result = json(given, field);
  return 'value' in result && !isRecord(result.value) ? { problem: 'must be a JSON object' } : result;
};

const COERCERS: Record<Exclude<NonNullable<SettingField['type']>, 'instances' | 'secret'>, Coercer> = {
  string: text,
  number,
  integer,
  boolean,
  select,
  json,
  object,
};

/** Reads a submitted value as its field's type; text from a command line counts when it can mean only one thing. */
export function coerce(field: SettingField, given: unknown): Coerced {
  const type = field.type ?? 'string';
  return type === 'instances' || type === 'secret'
    ? { problem: 'cannot be set this way' }
    : COERCERS[type](given, field);
}

function kindOf(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  return briefValue(value, 40);
}
