import { ForgeError } from '../errors.ts';
import { isRecord } from '../json.ts';
import { Secret } from '../secret.ts';
import { expandJson } from './expand-json.ts';
import { expandText, fillPieces, joinPieces } from './expand-text.ts';
import { INJECT_NAMESPACES, requireNamespaces } from './namespaces.ts';
import { onlyToken } from './parse.ts';
import { asTemplate, isEmpty, lookUp, nameOf, textOf, textsOf } from './scope.ts';
import type { ExpandOptions, Scope } from './scope.ts';
import { hasLoneSurrogate } from './url-encode.ts';
import type { Token } from './parse.ts';

const NO_NAMES: ReadonlySet<string> = new Set();

export type FormEntries = [string, string][];

/** Fills `request.body_form`: one token that holds an object (C-85, C-86), or a map of templates (W-05). */
export function expandForm(
  spec: string | Readonly<Record<string, unknown>>,
  scope: Scope,
  options: ExpandOptions,
): FormEntries {
  if (typeof spec !== 'string') return checked(mapEntries(spec, scope, options));
  const token = onlyToken(asTemplate(spec, scope, options));
  if (token) return checked(objectEntries(token, scope, options));
  const map = parseObject(spec);
  if (map) return checked(mapEntries(map, scope, options));
  throw new ForgeError('invalid_manifest', 'body_form is neither one token nor a map.', {
    hint: "Write body_form: '{args.params}', or a map of field names and values.",
  });
}

/**
 * Adds the fields of `body_form_inject`. Keys and values are filled from settings only, so that no argument can take the place of
 * a credential (C-87), and one that is named is an error; what stays empty is dropped (C-88); an injected field replaces one of the same
 * name (K-08).
 */
export function injectForm(
  entries: FormEntries,
  inject: Readonly<Record<string, unknown>>,
  scope: Scope,
  options: ExpandOptions,
): FormEntries {
  requireNamespaces(inject, options.bareNames ?? NO_NAMES, INJECT_NAMESPACES);
  const settingsOnly: Scope = { settings: scope.settings };
  const injected = Object.entries(inject).flatMap(([key, value]): FormEntries => {
    const filledKey = fillWhole(key, settingsOnly, options);
    const filledValue = fillWhole(value, settingsOnly, options);
    return filledKey === '' || filledValue === '' ? [] : [[filledKey, filledValue]];
  });
  return checked(replaceFields(entries, injected));
}

/** Adds the rows `{name, value}` of the setting that `body_form_inject_from` names; they are values, not templates (C-89). */
export function injectRows(entries: FormEntries, rows: unknown, options: ExpandOptions): FormEntries {
  if (isEmpty(rows)) return entries;
  const list = typeof rows === 'string' ? parseJson(rows) : rows;
  if (!Array.isArray(list)) {
    throw new ForgeError('invalid_settings', 'The rows to inject into the form are not a list of names and values.');
  }
  const injected = list.flatMap((row, index): FormEntries => {
    if (!isRecord(row) || isEmpty(row.name) || isEmpty(row.value)) return [];
    return [[rowText(row.name, 'name', index, options), rowText(row.value, 'value', index, options)]];
  });
  return checked(replaceFields(entries, injected));
}

function mapEntries(map: Readonly<Record<string, unknown>>, scope: Scope, options: ExpandOptions): FormEntries {
  return Object.entries(map).flatMap(([key, value]) =>
    fieldTexts(value, scope, options).map((text): [string, string] => [key, text]),
  );
}

function fieldTexts(value: unknown, scope: Scope, options: ExpandOptions): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => fieldTexts(item, scope, options));
  if (typeof value === 'string') {
    const template = asTemplate(value, scope, options);
    const token = onlyToken(template);
    return token ? textsOf(lookUp(scope, token), token, options.secrets) : [expandText(template, scope, options)];
  }
  const json = expandJson(value, scope, options);
  if (json === undefined) return [];
  return [typeof json === 'object' ? JSON.stringify(json) : String(json)];
}

function objectEntries(token: Token, scope: Scope, options: ExpandOptions): FormEntries {
  const value = lookUp(scope, token);
  if (isEmpty(value)) return [];
  const isText = typeof value === 'string' || value instanceof Secret;
  const object = isText ? parseObject(textOf(value, token, options.secrets)) : value;
  if (!isRecord(object)) {
    throw new ForgeError(
      'invalid_argument',
      `${nameOf(token)} must be an object of form fields, such as {"BRANCH": "main"}.`,
    );
  }
  return Object.entries(object).flatMap(([key, item]) =>
    textsOf(item, token, options.secrets).map((text): [string, string] => [key, text]),
  );
}

/** The filled text, or nothing when a token stayed without a value or a name in braces is no token at all. */
function fillWhole(source: unknown, scope: Scope, options: ExpandOptions): string {
  if (typeof source === 'number' || typeof source === 'boolean') return String(source);
  if (typeof source !== 'string') return '';
  const pieces = fillPieces(asTemplate(source, scope, options), scope, options);
  const isUnfilled = pieces.some((piece) => piece.isEmpty || (!piece.token && /\{[\w.[\]-]+\}/.test(piece.text)));
  return isUnfilled ? '' : joinPieces(pieces);
}

function rowText(value: unknown, field: string, index: number, options: ExpandOptions): string {
  const source = `{settings[${index}].${field}}`;
  return textOf(
    value,
    { root: 'settings', path: [`row ${index + 1}`, field], source, start: 0, end: 0 },
    options.secrets,
  );
}

function replaceFields(entries: FormEntries, injected: FormEntries): FormEntries {
  const taken = new Set(injected.map(([key]) => key));
  return [...entries.filter(([key]) => !taken.has(key)), ...injected];
}

/** A form is written as UTF-8, which has no way to say half a character; URLSearchParams would silently change it. */
function checked(entries: FormEntries): FormEntries {
  const broken = entries.find(([key, value]) => hasLoneSurrogate(key) || hasLoneSurrogate(value));
  if (!broken) return entries;
  throw new ForgeError('unsafe_value', `The form field ${JSON.stringify(broken[0])} contains half of a character.`);
}

function parseObject(text: string): Record<string, unknown> | null {
  const value = parseJson(text);
  return isRecord(value) ? value : null;
}

// The parser's own error would quote the text, which may be a secret: callers say what they expected instead.
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
