import { isRecord, type JsonObject, type JsonValue } from '../../shared/json.ts';
import { parseTemplate, tokensIn, type Token } from '../../shared/template/parse.ts';
import { lookUp, openValue, type Scope } from '../../shared/template/scope.ts';
import type { Masker } from '../secrets/masker.ts';
import type { WatchPlan } from './watch.ts';

/**
 * The values of a start call that templates still need when the watch ends, and none besides: what nobody asks for is not kept.
 * `templates` are texts and trees of them.
 */
export function keptValues(
  templates: readonly unknown[],
  scope: Scope,
  bareNames: ReadonlySet<string>,
  masker: Masker,
): WatchPlan['scope'] {
  const kept: { args: JsonObject; result: JsonObject; settings: JsonObject } = { args: {}, result: {}, settings: {} };
  let whole: JsonValue | undefined;
  for (const token of templates.flatMap((template) => tokensOf(template, bareNames))) {
    const value = lookUp(scope, token);
    const json = value === undefined ? null : masker.redactValue(openValue(value, token, 'mask'));
    if (token.root === 'bare') put(kept.settings, token.path, json);
    else if (token.root === 'result' && token.path.length === 0) whole = json;
    else if (token.root !== 'poll' && token.root !== 'captured') put(kept[token.root], token.path, json);
  }
  return { ...kept, result: whole ?? kept.result };
}

function tokensOf(template: unknown, bareNames: ReadonlySet<string>): Token[] {
  if (typeof template === 'string') return tokensIn(parseTemplate(template, bareNames));
  if (Array.isArray(template)) return template.flatMap((item: unknown) => tokensOf(item, bareNames));
  return isRecord(template) ? Object.values(template).flatMap((item) => tokensOf(item, bareNames)) : [];
}

/** Objects stand in for lists too: templates read both by name. */
function put(target: JsonObject, path: readonly string[], value: JsonValue): void {
  let at = target;
  for (const key of path.slice(0, -1)) {
    const next = Object.hasOwn(at, key) ? at[key] : undefined;
    const child: JsonObject = isRecord(next) ? next : {};
    at[key] = child;
    at = child;
  }
  const last = path.at(-1);
  if (last !== undefined) at[last] = value;
}

/** Arguments without those that hold a known secret: a poll relies on the saved credential instead, and no row keeps it. */
export function withoutSecrets(args: JsonObject, masker: Masker): JsonObject {
  const isClean = (value: JsonValue): boolean => masker.redactJson(value).json === JSON.stringify(value);
  return Object.fromEntries(Object.entries(args).filter(([, value]) => isClean(value)));
}
