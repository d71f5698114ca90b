import type { ShellInspection } from '../../shared/manifest/commands/inspect-shell-tool.ts';
import { isBounded, type Parameters } from '../../shared/manifest/commands/word.ts';
import { Secret } from '../../shared/secret.ts';
import { tokensIn } from '../../shared/template/parse.ts';
import { asTemplate, isEmpty, isSetting, lookUp } from '../../shared/template/scope.ts';
import type { CallScope, FillOptions } from './call-scope.ts';

/** What a person should know who is asked about a command: its code comes from a caller. */
export function codeRisks({ wholeCode, doubts }: Pick<ShellInspection, 'wholeCode' | 'doubts'>): string[] {
  return [
    ...(wholeCode.length === 0
      ? []
      : [`The argument ${quoted(wholeCode)} is a whole program: it can do anything you can.`]),
    ...doubtRisks(doubts),
  ];
}

/** What a person should know about code that Forge cannot follow. */
export function doubtRisks(doubts: readonly string[]): string[] {
  return doubts.map((doubt) => `An argument may be run as code: ${doubt}.`);
}

/**
 * What a person should know about a saved secret and an argument that go into one command: the argument may decide where the secret goes.
 * Numbers, yes and no, and the manifest's own words decide nothing.
 */
export function secretRisks(
  templates: readonly string[],
  parameters: Parameters,
  scope: CallScope,
  options: FillOptions,
): string[] {
  const secrets = new Set<string>();
  const given = new Set<string>();
  for (const template of templates) {
    for (const token of tokensIn(asTemplate(template, scope, options))) {
      const [name = ''] = token.path;
      const value = lookUp(scope, token);
      if (isEmpty(value)) continue;
      if (isSetting(token)) {
        if (holdsSecret(value)) secrets.add(token.path.join('.'));
      } else if (!isBounded(parameters, name)) given.add(name);
    }
  }
  if (secrets.size === 0 || given.size === 0) return [];
  return [
    `The argument ${quoted([...given])} and your saved ${quoted([...secrets])} go into one command, so the argument may decide where the secret goes.`,
  ];
}

function holdsSecret(value: unknown): boolean {
  if (value instanceof Secret) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsSecret);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `“${name}”`).join(', ');
}
