import type { Command } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { FORGE_VERSION } from '../../version.ts';
import { checkUpdate } from '../check-update.ts';
import type { Cli } from '../cli.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { UsageError } from '../usage-error.ts';

/** `forge update …`: nothing is asked anywhere unless a person does, and names the address. */
export function addUpdateCommands(program: Command, cli: Cli): void {
  program
    .command('update')
    .description('find out about newer versions of Forge')
    .command('check')
    .description('ask a registry for the latest version')
    .option('--registry <address>', 'the registry to ask, instead of FORGE_UPDATE_URL')
    .addHelpText('after', examples('forge update check --registry https://registry.example.com'))
    .action(cli.action((flags: { registry?: string }) => check(cli, flags.registry)));
}

async function check(cli: Cli, named: string | undefined): Promise<ExitCode> {
  const registry = named ?? cli.config().updateUrl;
  if (registry === undefined) {
    throw new UsageError('no registry to ask', 'Give one with --registry, or set FORGE_UPDATE_URL.');
  }
  const { name } = manifest;
  const { latest, isNewer } = await checkUpdate(registry, name, FORGE_VERSION);
  const { out } = cli.terminal;
  if (!isNewer) out(`Forge ${FORGE_VERSION} is the latest version.`);
  else {
    out(`Forge ${latest} is available; this is ${FORGE_VERSION}.`);
    out(`  An installed package:  npm install -g --registry ${registry} ${name}@${latest}`);
    out('  A clone:               git pull, then npm start');
  }
  return EXIT.ok;
}
