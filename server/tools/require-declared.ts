import { ForgeError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { closestWord } from '../../shared/manifest/did-you-mean.ts';
import { parseTemplate, tokensIn, type Token } from '../../shared/template/parse.ts';

/** Injected fields are left out when they have no value, whatever the reason (C-88). */
const DROPPED_WHEN_EMPTY: ReadonlySet<string> = new Set(['body_form_inject', 'body_form_inject_from']);

/** Refuses templates that name a setting which the manifest does not declare: nobody could ever fill it in. */
export function requireDeclared(templates: unknown, declared: ReadonlySet<string>): void {
  requireDeclaredTokens(settingTokens(templates, declared), declared);
}

/** The same for templates that are parsed already, such as a script. */
export function requireDeclaredTokens(tokens: Iterable<Token>, declared: ReadonlySet<string>): void {
  for (const { root, path, source } of tokens) {
    const name = path[0] ?? '';
    if (root !== 'settings' || declared.has(name)) continue;
    const near = closestWord(name, declared);
    throw new ForgeError('invalid_manifest', `${source} names a setting that the manifest does not declare.`, {
      hint:
        near === null
          ? `Declare \`${name}\` under settings in the connector’s manifest, or remove it there.`
          : `Did you mean {settings.${near}}? Correct it in the connector’s manifest.`,
    });
  }
}

function* settingTokens(value: unknown, names: ReadonlySet<string>): Iterable<Token> {
  if (typeof value === 'string') yield* tokensIn(parseTemplate(value, names));
  else if (Array.isArray(value)) for (const item of value) yield* settingTokens(item, names);
  else if (isRecord(value))
    for (const [key, item] of Object.entries(value)) {
      if (DROPPED_WHEN_EMPTY.has(key)) continue;
      yield* settingTokens(key, names);
      yield* settingTokens(item, names);
    }
}
