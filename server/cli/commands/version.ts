import type { Command } from 'commander';
import { FORGE_VERSION } from '../../version.ts';
import type { Cli } from '../cli.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';

export function addVersionCommand(program: Command, cli: Cli): void {
  program.version(FORGE_VERSION, '-V, --version', 'print the version');
  program
    .command('version')
    .description('print the version')
    .addHelpText('after', examples('forge version'))
    .action(
      cli.action(() => {
        cli.terminal.out(FORGE_VERSION);
        return Promise.resolve(EXIT.ok);
      }),
    );
}
