import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { addChannelsCommand } from './channels.ts';
import { addListCommand } from './list.ts';
import { addManageCommands } from './manage.ts';
import { addShowCommand } from './show.ts';
import { addTelegramCommand } from './telegram.ts';

/** `forge watch …`: what tools have started and Forge looks after. */
export function addWatchCommands(program: Command, cli: Cli): void {
  const group = program
    .command('watch')
    .description('what goes on in the background; without a further word, the list of it')
    .addHelpText('after', examples('forge watch', 'forge watch show wch_1f2e3d4c5b6a7980'));
  addListCommand(group, cli);
  addShowCommand(group, cli);
  addManageCommands(group, cli);
  addChannelsCommand(group, cli);
  addTelegramCommand(group, cli);
}
