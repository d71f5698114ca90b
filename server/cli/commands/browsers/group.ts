import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { addListCommand } from './list.ts';
import { addManageCommands } from './manage.ts';

/** `forge browsers …`: where browser tools run. */
export function addBrowsersCommands(program: Command, cli: Cli): void {
  const group = program
    .command('browsers')
    .description('the browsers that browser tools run in; without a further word, the list of them')
    .addHelpText('after', examples('forge browsers', 'forge browsers accept 482913'));
  addListCommand(group, cli);
  addManageCommands(group, cli);
}
