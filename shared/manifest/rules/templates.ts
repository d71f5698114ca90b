import type { Namespaces } from '../../template/namespaces.ts';
import { parseTemplate, tokensIn, type Token } from '../../template/parse.ts';
import { parseScript } from '../../template/script.ts';
import { isForgeError } from '../../errors.ts';
import { isSecretField, templateSettings } from '../connector.ts';
import { limitedClosestWord, suggestion, type closestWord } from '../did-you-mean.ts';
import type { Finding } from '../diagnostic.ts';
import { failure, warning, type Rule, type RuleContext } from '../rule.ts';
import type { SettingField } from '../schema/settings.ts';
import { templatePlaces, type Audience, type TemplatePlace } from '../template-places.ts';

const NO_SECRETS: Record<Exclude<Audience, 'server'>, string> = {
  page: 'a page address or a tab pattern',
  script: 'a script',
  watch: 'what a watch keeps in the database',
  message: 'a message',
};
/** A watch keeps what its messages need, and the arguments of the tool at its end, until it has ended and longer. */
const KEPT: readonly Audience[] = ['watch', 'message'];
/** Names that only some places have. */
const BARE_NAMES = ['poll_count', 'max_polls', 'api_token'];
/** A document may hold ten thousand wrong names. */
const MAX_SUGGESTIONS = 200;
const LOOKS_PASSWORD = /pass(word|wd|phrase)|secret|token/i;

/** Tokens must name something that exists, and a secret may only stand where the server alone reads it. */
export const templates: Rule = function* (context) {
  const declared = templateSettings(context.manifest.settings ?? {});
  const closestTo = limitedClosestWord(MAX_SUGGESTIONS);
  for (const place of templatePlaces(context)) {
    for (const token of tokensOf(place, declared)) {
      if ('problem' in token) yield failure('template', place.path, token.problem);
      else if (place.namespaces?.allowed.has(token.root) === false)
        yield wrongNamespace(token, place.namespaces, place.path);
      else yield* checkToken(token, place, declared, context, closestTo);
    }
    if (place.audience !== 'script' && place.audience !== 'message') yield* strayBraces(place, declared, closestTo);
  }
};

/** Such a token is empty always, and a call or a test that needs it is refused when it runs. */
function wrongNamespace(
  { source, root, path: [name = ''] }: Token,
  { why, allowed }: Namespaces,
  path: readonly string[],
): Finding {
  const instead = allowed.has('args') || root !== 'args' ? '' : ` Use {settings.${name}} and declare the setting.`;
  return failure('namespace', path, `\`${source}\` has no value here: ${why}`, {
    hint: `Name something that exists in this place.${instead}`,
  });
}

const BRACES = /(?<!\$)\{([A-Za-z_]\w*)(\.[\w.[\]]+)?\}/g;
const ROOTS = ['settings', 'args', 'result', 'poll'];

/** What looks like a token and is none is sent as it stands. */
function* strayBraces(
  { text, path, tool }: TemplatePlace,
  declared: Record<string, SettingField>,
  closestTo: typeof closestWord,
): Iterable<Finding> {
  const parameters = tool?.tool.parameters ?? {};
  for (const [source, word = '', rest] of text.matchAll(BRACES)) {
    const names = rest === undefined ? Object.keys(declared) : ROOTS;
    if (names.includes(word) || BARE_NAMES.includes(word)) continue;
    // A name without its namespace is a setting; a parameter's own name says more than one that is only like it.
    const meant = Object.hasOwn(parameters, word) ? `args.${word}` : closestTo(word, names);
    if (meant === null) continue;
    yield warning(
      'unknown-name',
      path,
      `\`${source}\` is not a template and stays as it is, did you mean \`{${meant}${rest ?? ''}}\`?`,
    );
  }
}

function tokensOf(place: TemplatePlace, declared: Record<string, SettingField>): (Token | { problem: string })[] {
  const names = new Set([...Object.keys(declared), ...BARE_NAMES]);
  try {
    if (place.audience === 'script') return [...parseScript(place.text, names).tokens];
    return tokensIn(parseTemplate(place.text, names));
  } catch (error) {
    if (!isForgeError(error)) throw error;
    // A script that cannot be read is the script rule's finding.
    return place.audience === 'script' ? [] : [{ problem: error.message }];
  }
}

function* checkToken(
  token: Token,
  place: TemplatePlace,
  declared: Record<string, SettingField>,
  context: RuleContext,
  closestTo: typeof closestWord,
): Iterable<Finding> {
  const name = token.path[0] ?? '';
  if (token.root === 'settings' || token.root === 'bare') {
    const field = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (field === undefined && token.root === 'settings') {
      yield warning(
        'unknown-setting',
        place.path,
        `\`${token.source}\` names a setting that is not declared${suggestion(name, Object.keys(declared), closestTo)}`,
      );
    } else if (field !== undefined && place.audience !== 'server' && holdsSecret(field)) {
      yield failure(
        'secret-exposed',
        place.path,
        `the secret \`${name}\` cannot be used in ${NO_SECRETS[place.audience]}`,
        {
          hint: 'Use it in a request, a command or an auth block.',
        },
      );
    }
    return;
  }
  if (token.root === 'args') yield* checkArgument(token, place, context, closestTo);
}

function* checkArgument(
  token: Token,
  place: TemplatePlace,
  context: RuleContext,
  closestTo: typeof closestWord,
): Iterable<Finding> {
  const name = token.path[0] ?? '';
  if (place.tool === null) {
    const last = place.path.at(-1);
    const mayName = place.path.includes('auth') && last !== 'host_match';
    if (!mayName)
      yield warning('no-arguments', place.path, `\`${token.source}\` stays empty here: no call is under way`);
    return;
  }
  const known = Object.keys(place.tool.tool.parameters ?? {});
  if (context.manifest.settings?.['instances']?.type === 'instances') known.push('instance');
  if (!known.includes(name)) {
    yield warning(
      'unknown-argument',
      place.path,
      `\`${token.source}\` names a parameter that is not declared${suggestion(name, known, closestTo)}`,
    );
  }
  if (KEPT.includes(place.audience) && LOOKS_PASSWORD.test(name)) {
    yield warning(
      'watch-secret',
      place.path,
      `\`${token.source}\` looks like a credential and would be kept in the database`,
      {
        hint: 'Rely on the saved settings instead.',
      },
    );
  }
}

/** Rows count as secret as soon as one of their columns is. */
function holdsSecret(field: SettingField): boolean {
  if (field.type === 'instances') return Object.values(field.fields).some(holdsSecret);
  return isSecretField(field);
}
