import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { addExportCommand } from './export.ts';
import { addListCommand } from './list.ts';
import { addShowCommand } from './show.ts';
import { addVerifyCommand } from './verify.ts';

/** `forge calls …`: what was called, and what came of it. */
export function addCallsCommands(program: Command, cli: Cli): void {
  const group = program
    .command('calls')
    .description('the log of every call; without a further word, the latest ones')
    .addHelpText('after', examples('forge calls', 'forge calls --failed', 'forge calls show call_1f2e3d4c5b6a7980'));
  addListCommand(group, cli);
  addShowCommand(group, cli);
  addExportCommand(group, cli);
  addVerifyCommand(group, cli);
}
