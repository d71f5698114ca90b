import { ForgeError } from '../errors.ts';
import { expandJson } from './expand-json.ts';
import { fillPieces, joinPieces } from './expand-text.ts';
import { onlyToken } from './parse.ts';
import { asTemplate, isEmpty, lookUp, textsOf } from './scope.ts';
import type { ExpandOptions, Scope } from './scope.ts';
import { hasLoneSurrogate } from './url-encode.ts';

/** Fills `request.query`: an entry that names something missing or empty is dropped whole, a list repeats its key (W-03). */
export function expandQuery(
  entries: Readonly<Record<string, unknown>>,
  scope: Scope,
  options: ExpandOptions,
): [string, string][] {
  return Object.entries(entries).flatMap(([key, value]) =>
    queryTexts(value, scope, options).map((text): [string, string] => [key, text]),
  );
}

/** Appends entries to a URL that may have a query and a fragment already. */
export function appendQuery(url: string, entries: readonly (readonly [string, string])[]): string {
  if (entries.length === 0) return url;
  const added = entries.map(([key, value]) => `${encodeEntry(key, key)}=${encodeEntry(value, key)}`).join('&');
  const hash = url.indexOf('#');
  const address = hash === -1 ? url : url.slice(0, hash);
  const fragment = hash === -1 ? '' : url.slice(hash);
  const separator = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return `${address}${separator}${added}${fragment}`;
}

function queryTexts(value: unknown, scope: Scope, options: ExpandOptions): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return templateTexts(value, scope, options);
  if (Array.isArray(value)) return value.flatMap((item) => queryTexts(item, scope, options));
  const json = expandJson(value, scope, options);
  if (json === undefined) return [];
  return [typeof json === 'object' ? JSON.stringify(json) : String(json)];
}

function templateTexts(source: string, scope: Scope, options: ExpandOptions): string[] {
  const template = asTemplate(source, scope, options);
  const token = onlyToken(template);
  if (token) {
    const value = lookUp(scope, token);
    return isEmpty(value) ? [] : textsOf(value, token, options.secrets);
  }
  const pieces = fillPieces(template, scope, options);
  return pieces.some((piece) => piece.isEmpty) ? [] : [joinPieces(pieces)];
}

function encodeEntry(text: string, key: string): string {
  if (!hasLoneSurrogate(text)) return encodeURIComponent(text);
  throw new ForgeError('unsafe_value', `The query entry "${key}" contains half of a character (a lone surrogate).`);
}
