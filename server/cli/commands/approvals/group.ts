import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { addAllowCommand } from './allow.ts';
import { addDecisionCommands } from './decide.ts';
import { addListCommand } from './list.ts';
import { addStandingCommands } from './standing.ts';

/** `forge approvals …`: what waits for a person's yes or no. */
export function addApprovalsCommands(program: Command, cli: Cli): void {
  const group = program
    .command('approvals')
    .description('calls that wait for a yes or no; without a further word, the list of them')
    .addHelpText('after', examples('forge approvals', 'forge approvals approve apr_1f2e3d4c5b6a7980'));
  addListCommand(group, cli);
  addDecisionCommands(group, cli);
  addAllowCommand(group, cli);
  addStandingCommands(group, cli);
}
