import { ForgeError } from '../errors.ts';
import { isForbiddenKey, isRecord } from '../json.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { expandJsonText } from './expand-json-text.ts';
import { expandText } from './expand-text.ts';
import { onlyToken } from './parse.ts';
import { MAX_DEPTH, asTemplate, lookUp, openValue } from './scope.ts';
import type { ExpandOptions, Scope } from './scope.ts';
import { hasLoneSurrogate } from './url-encode.ts';

export type Body =
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'raw'; readonly text: string };

/**
 * Fills a tree whose strings are templates (W-04). A string that is one token keeps the value's type; an entry that is
 * nothing but a missing value is dropped; undefined means that the whole tree was such an entry.
 */
export function expandJson(value: unknown, scope: Scope, options: ExpandOptions): JsonValue | undefined {
  return expandNode(value, scope, options, 0);
}

/** Fills `request.body`: a map becomes JSON, a string goes out as it is, nothing means no body (W-04). */
export function expandBody(body: unknown, scope: Scope, options: ExpandOptions): Body | null {
  if (body === undefined || body === null) return null;
  if (typeof body !== 'string') {
    const value = expandJson(body, scope, options);
    return value === undefined ? null : { kind: 'json', value };
  }
  const template = asTemplate(body, scope, options);
  if (onlyToken(template)) {
    const value = expandJson(body, scope, options);
    if (value === undefined) return null;
    return typeof value === 'string' ? rawBody(value) : { kind: 'json', value };
  }
  return rawBody(expandJsonText(template, scope, options) ?? expandText(template, scope, options));
}

/** Text is sent as UTF-8, which has no way to say half a character: it would arrive as another one. */
function rawBody(text: string): Body | null {
  if (hasLoneSurrogate(text)) throw new ForgeError('unsafe_value', 'The body contains half of a character.');
  return text === '' ? null : { kind: 'raw', text };
}

function expandNode(node: unknown, scope: Scope, options: ExpandOptions, depth: number): JsonValue | undefined {
  if (typeof node === 'string') return expandLeaf(node, scope, options);
  if (node === null || typeof node === 'number' || typeof node === 'boolean') return node;
  if (depth >= MAX_DEPTH)
    throw new ForgeError('invalid_manifest', `A body is nested more than ${MAX_DEPTH} levels deep.`);
  if (Array.isArray(node)) {
    return node
      .map((item) => expandNode(item, scope, options, depth + 1))
      .filter((item): item is JsonValue => item !== undefined);
  }
  if (!isRecord(node)) return undefined;
  const filled: JsonObject = {};
  for (const [key, item] of Object.entries(node)) {
    if (isForbiddenKey(key)) throw new ForgeError('unsafe_value', `A body may not have a key named "${key}".`);
    const value = expandNode(item, scope, options, depth + 1);
    if (value !== undefined) filled[key] = value;
  }
  return filled;
}

function expandLeaf(source: string, scope: Scope, options: ExpandOptions): JsonValue | undefined {
  const template = asTemplate(source, scope, options);
  const token = onlyToken(template);
  if (token) {
    const value = lookUp(scope, token);
    return value === undefined ? undefined : openValue(value, token, options.secrets);
  }
  return expandText(template, scope, options);
}
