import { isSetting } from '../../template/scope.ts';
import { parseTemplate, tokensIn } from '../../template/parse.ts';
import { isSecretField } from '../connector.ts';
import type { SettingField } from '../schema/settings.ts';
import type { ManifestTool } from '../schema/tool.ts';
import { isBounded } from './word.ts';

type Settings = Readonly<Record<string, SettingField>>;

/** Saved secrets and free arguments that go into one command: an argument may then decide where a secret goes. */
export function secretsBesideArguments(
  tool: ManifestTool,
  settings: Settings,
): { secrets: string[]; args: string[] } | null {
  const names = new Set(Object.keys(settings));
  const tokens = templatesOf(tool).flatMap((text) => tokensIn(parseTemplate(text, names)));
  const named = (isWanted: (name: string) => boolean, fromSettings: boolean): string[] => [
    ...new Set(
      tokens.flatMap((token) => {
        const [name = ''] = token.path;
        return isSetting(token) === fromSettings && isWanted(name) ? [name] : [];
      }),
    ),
  ];
  const secrets = named((name) => Object.hasOwn(settings, name) && holdsSecret(settings[name]), true);
  const parameters = tool.parameters ?? {};
  const args = named((name) => Object.hasOwn(parameters, name) && !isBounded(parameters, name), false);
  return secrets.length === 0 || args.length === 0 ? null : { secrets, args };
}

function templatesOf(tool: ManifestTool): string[] {
  if (tool.protocol === 'shell') return [...tool.command, ...Object.values(tool.env ?? {}), tool.cwd ?? ''].map(String);
  if (tool.protocol !== 'ssh') return [];
  return [...(tool.ssh?.commands ?? []), ...(tool.ssh?.auto_answer ?? []).map(({ send }) => String(send))];
}

/** Rows count as secret as soon as one of their columns is. */
function holdsSecret(field: SettingField | undefined): boolean {
  if (field === undefined) return false;
  return field.type === 'instances' ? Object.values(field.fields).some(holdsSecret) : isSecretField(field);
}
