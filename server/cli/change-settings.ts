import type { Command } from 'commander';
import type { SettingsAnswer } from '../../shared/api.ts';
import { isSecretField } from '../../shared/manifest/connector.ts';
import type { SettingField } from '../../shared/manifest/schema/settings.ts';
import type { ForgeApi } from './api.ts';
import { useForge, type Cli } from './cli.ts';
import { collectValues, splitPair } from './collect-values.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { readSecrets } from './read-secrets.ts';
import { draftSettings, holdsSecret, type SettingsDraft } from './settings-draft.ts';
import { printSettings } from './settings-table.ts';
import { printJson, type Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export interface SettingsFlags {
  set?: string[];
  secret?: string[];
  unset?: string[];
  json?: boolean;
}

/** Settings of something, and what is said when they were saved. */
interface SettingsPlace {
  read: (api: ForgeApi) => Promise<SettingsAnswer>;
  save: (api: ForgeApi, values: Record<string, unknown>, revision: number) => Promise<SettingsAnswer>;
  saved: (terminal: Terminal, answer: SettingsAnswer) => void;
}

const SET_HINT = 'Write it as --set name=value; --unset name removes a value.';

export function addSettingsOptions(command: Command): Command {
  return command
    .option('--set <name=value>', 'set a field (repeat for more)', collectValues)
    .option(
      '--secret <name>',
      'set a secret: asked for on a terminal, else read from standard input (repeat for more)',
      collectValues,
    )
    .option('--unset <name>', 'remove a value, or a row (repeat for more)', collectValues)
    .option('--json', 'print the settings as JSON');
}

/** Shows settings, or changes them as the flags say. */
export async function changeSettings(cli: Cli, place: SettingsPlace, flags: SettingsFlags): Promise<ExitCode> {
  const { terminal } = cli;
  const { set = [], secret = [], unset = [] } = flags;
  for (const name of secret) refuseValue(name);
  const pairs = set.map((text) => splitPair(text, '--set', SET_HINT));
  const isChange = set.length + secret.length + unset.length > 0;
  return useForge(cli, async ({ api }) => {
    let answer = await place.read(api);
    if (isChange) {
      // The server sends the fields as the manifest declares them.
      const draft = draftSettings(answer.schema as Record<string, SettingField>, answer.values);
      for (const name of unset) draft.unset(name);
      for (const [name, value] of pairs) setPlain(draft, name, value);
      if (secret.length > 0 && !(await setSecrets(cli, draft, secret))) {
        terminal.out('Nothing was saved.');
        return EXIT.failed;
      }
      answer = await place.save(api, draft.changes(), answer.revision);
    }
    if (flags.json === true) printJson(terminal, answer);
    else if (isChange) {
      place.saved(terminal, answer);
      for (const { label, message } of answer.warnings)
        terminal.out(`  ${terminal.paint('yellow', '!')} ${label} ${message}`);
    } else printSettings(terminal, answer);
    return EXIT.ok;
  });
}

/** The command line of a process can be read by every other program of the same user, and stays in the shell's history. */
function refuseValue(name: string): void {
  const equals = name.indexOf('=');
  if (equals >= 0) throw exposed(name.slice(0, equals));
}

function setPlain(draft: SettingsDraft, name: string, value: string): void {
  const field = draft.field(name);
  if (field !== undefined && isSecretField(field)) throw exposed(name);
  if (field !== undefined && holdsSecret(field, parsed(value))) throw exposed(name, `${name}.ROW.FIELD`);
  draft.set(name, value);
}

/** False when the person left a question. */
async function setSecrets(cli: Cli, draft: SettingsDraft, names: readonly string[]): Promise<boolean> {
  for (const name of names) {
    const field = draft.field(name);
    if (field !== undefined && !isSecretField(field))
      throw new UsageError(`${name} is not a secret`, `Use --set ${name}=value.`);
  }
  const labels = names.map((name) => draft.field(name)?.label ?? name);
  const values = await readSecrets(cli.io, names, labels);
  if (values === null) return false;
  for (const [index, name] of names.entries()) draft.set(name, values[index] ?? '');
  return true;
}

function exposed(name: string, secretName = name): UsageError {
  return new UsageError(
    `the value of ${name} stood on the command line, where other programs and the shell's history can see it; it was not saved`,
    `Treat that value as leaked and make a new one. Then run the command with --secret ${secretName} alone: it asks for the value, or reads it from standard input.`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so it cannot be a list of rows; the server tells what is wrong with it.
    return null;
  }
}
