import { ForgeError } from '../errors.ts';
import { isForbiddenKey, ownValue } from '../json.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { Secret } from '../secret.ts';
import { parseTemplate } from './parse.ts';
import type { Template, Token } from './parse.ts';

/** What the tokens of a template stand for. Values are JSON values or `Secret`; `bare` holds names that only some places have. */
export interface Scope {
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  readonly result?: unknown;
  readonly poll?: unknown;
  /** What the steps of a login have captured so far. */
  readonly captured?: Readonly<Record<string, unknown>> | undefined;
  readonly bare?: Readonly<Record<string, unknown>> | undefined;
}

/** `reveal` for a request or command that really runs, `mask` for a dry run, `refuse` where a secret must never go. */
export type SecretPolicy = 'reveal' | 'mask' | 'refuse';

export interface ExpandOptions {
  readonly secrets: SecretPolicy;
  /** The declared names that may be written bare; without it, the names that the scope has a value for. */
  readonly bareNames?: ReadonlySet<string>;
}

/** Deeper values are refused, because walking them could exhaust the stack. */
export const MAX_DEPTH = 100;

/** The value a token stands for, read from own properties only; null counts as missing. */
export function lookUp(scope: Scope, token: Token): unknown {
  if (token.root === 'bare') {
    const [name = ''] = token.path;
    return ownValue(scope.bare, name) ?? ownValue(scope.settings, name) ?? undefined;
  }
  let value: unknown = scope[token.root];
  for (const key of token.path) value = ownValue(value, key);
  return value ?? undefined;
}

/** True for what a person would call not filled in: missing, null, the empty string, an empty secret. */
export function isEmpty(value: unknown): boolean {
  if (value instanceof Secret) return value.isEmpty;
  return value === undefined || value === null || value === '';
}

/** True when the value comes from a person's settings rather than from a call. */
export function isSetting(token: Token): boolean {
  return token.root === 'settings' || token.root === 'bare';
}

/** Parses a template that is still a string, with the bare names the options or the scope know. */
export function asTemplate(template: Template | string, scope: Scope, options: ExpandOptions): Template {
  if (typeof template !== 'string') return template;
  if (options.bareNames === undefined) return parseTemplate(template, namesIn(scope));
  return parseOnce(template, options.bareNames);
}

/** Templates of one manifest by their text; they go when the names of that manifest do. */
const parsed = new WeakMap<ReadonlySet<string>, Map<string, Template>>();
/** More than any manifest has; templates that are made up on the way must not pile up. */
const MAX_PARSED = 20_000;

function parseOnce(source: string, bareNames: ReadonlySet<string>): Template {
  let known = parsed.get(bareNames);
  if (known === undefined || known.size >= MAX_PARSED) {
    known = new Map();
    parsed.set(bareNames, known);
  }
  let template = known.get(source);
  if (template === undefined) {
    template = parseTemplate(source, bareNames);
    known.set(source, template);
  }
  return template;
}

function namesIn(scope: Scope): ReadonlySet<string> {
  return new Set([...Object.keys(scope.settings ?? {}), ...Object.keys(scope.bare ?? {})]);
}

/** A value as text: scalars as they print, objects and arrays as JSON, missing as nothing. */
export function textOf(value: unknown, token: Token, policy: SecretPolicy): string {
  if (value === undefined || value === null) return '';
  const opened = openValue(value, token, policy);
  return typeof opened === 'object' ? JSON.stringify(opened) : String(opened);
}

/** A value as one or more texts: a list of scalars repeats its key in a query or a form, anything else is one text. */
export function textsOf(value: unknown, token: Token, policy: SecretPolicy): string[] {
  if (!Array.isArray(value)) return value === undefined || value === null ? [] : [textOf(value, token, policy)];
  const items: unknown[] = value;
  if (items.some((item) => typeof item === 'object' && item !== null && !(item instanceof Secret))) {
    return [textOf(items, token, policy)];
  }
  return items.filter((item) => !isEmpty(item)).map((item) => textOf(item, token, policy));
}

/** A deep copy in which every secret has been treated as the policy says. */
export function openValue(value: unknown, token: Token, policy: SecretPolicy, depth = 0): JsonValue {
  if (value instanceof Secret) return openSecret(value, token, policy);
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return value;
  }
  if (typeof value !== 'object') throw unsafe(token, `is a ${typeof value}, not a JSON value`);
  if (depth >= MAX_DEPTH) throw unsafe(token, `is nested more than ${MAX_DEPTH} levels deep`);
  if (Array.isArray(value)) return value.map((item) => openValue(item ?? null, token, policy, depth + 1));
  const copy: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (isForbiddenKey(key)) throw unsafe(token, `has a key named "${key}", which is not allowed`);
    if (item !== undefined) copy[key] = openValue(item, token, policy, depth + 1);
  }
  return copy;
}

function openSecret(secret: Secret, token: Token, policy: SecretPolicy): string {
  if (policy === 'reveal') return secret.reveal();
  if (policy === 'mask') return secret.toString();
  throw new ForgeError('secret_not_allowed_here', `${nameOf(token)} is a secret and cannot be used here.`);
}

/** How messages name a token: by the word the reader knows it under. */
export function nameOf(token: Token): string {
  if (token.root === 'args') return `The argument "${token.path.join('.')}"`;
  if (isSetting(token)) return `The setting "${token.path.join('.')}"`;
  return `The value of ${token.source}`;
}

/** An error for a value that would leave its place. It never quotes the value: the value may hold a secret. */
export function unsafe(token: Token, problem: string): ForgeError {
  const options = isSetting(token) ? { hint: 'Correct it under Settings → Connectors.' } : {};
  return new ForgeError('unsafe_value', `${nameOf(token)} ${problem}.`, options);
}

/** An error for a setting that a place cannot do without. */
export function settingMissing(token: Token, place: string): ForgeError {
  return new ForgeError('setting_missing', `${nameOf(token)} is empty, and ${place} needs it.`);
}
