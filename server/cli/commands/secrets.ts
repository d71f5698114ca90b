import type { Command } from 'commander';
import type { SecretsAnswer } from '../../../shared/api.ts';
import { useForge, type Cli } from '../cli.ts';
import { countOf } from '../count-of.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson, safeLine } from '../terminal.ts';

const STATES: Readonly<Record<string, string>> = {
  ready: 'secrets can be read',
  empty: 'no key yet; the first secret that is saved makes one',
  unreadable: 'SECRETS CANNOT BE READ',
};

/** What helps when the key is not where it was, by the place it was in. */
const WAYS_BACK: Readonly<Record<string, string>> = {
  env: 'Set FORGE_ENCRYPTION_KEY to the key that sealed them.',
  file: 'Put the key file back, for example from a backup.',
  keychain: 'Unlock the keychain and try again.',
};

export function addSecretsCommands(program: Command, cli: Cli): void {
  const group = program
    .command('secrets')
    .description('the key that seals saved secrets')
    .addHelpText('after', examples('forge secrets status', 'forge secrets rotate'));
  group
    .command('status')
    .description('where the key is, and whether secrets can be read')
    .addHelpText('after', examples('forge secrets status'))
    .option('--json', 'print it as JSON')
    .action(cli.action((flags: { json?: boolean }) => status(cli, flags.json === true)));
  group
    .command('rotate')
    .description('seal every secret with a new key')
    .addHelpText('after', examples('forge secrets rotate'))
    .action(cli.action(() => rotate(cli)));
}

async function status(cli: Cli, asJson: boolean): Promise<ExitCode> {
  const answer = await useForge(cli, ({ api }) => api.secrets());
  const isReadable = answer.state !== 'unreadable';
  if (asJson) printJson(cli.terminal, answer);
  else print(cli, answer);
  return isReadable ? EXIT.ok : EXIT.failed;
}

function print({ terminal }: Cli, answer: SecretsAnswer): void {
  const isReadable = answer.state !== 'unreadable';
  terminal.out(`state  ${terminal.paint(isReadable ? 'green' : 'red', STATES[answer.state] ?? answer.state)}`);
  terminal.out(`key    ${safeLine(answer.description)}`);
  if (answer.reason !== undefined) terminal.out(`why    ${safeLine(answer.reason)}`);
  if (!isReadable)
    terminal.out(`fix    ${WAYS_BACK[answer.store] ?? 'Put the key back.'} Nothing has been overwritten.`);
  if (answer.keys.length === 0) return;
  terminal.out();
  terminal.table(
    [{ title: 'key id' }, { title: 'secrets' }, { title: '' }],
    answer.keys.map((key) => [
      key.id,
      String(key.sealedCount),
      key.available ? (key.current ? 'current' : 'older') : { text: 'not there', style: 'red' },
    ]),
  );
}

async function rotate(cli: Cli): Promise<ExitCode> {
  const { from, to, count, removable } = await useForge(cli, ({ api }) => api.rotateSecrets());
  const { terminal } = cli;
  terminal.out(`${terminal.paint('green', '✓')} ${countOf(count, 'secret')} sealed with key ${to} (before: ${from})`);
  if (removable.length > 0)
    terminal.out(`  No secret needs ${removable.join(', ')} any more: take it out of FORGE_ENCRYPTION_KEY.`);
  return EXIT.ok;
}
