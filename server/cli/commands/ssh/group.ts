import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { addKnownHostsCommands } from './known-hosts.ts';

/** `forge ssh …`: what ssh tools know about hosts. */
export function addSshCommands(program: Command, cli: Cli): void {
  const group = program
    .command('ssh')
    .description('the hosts that ssh tools talk to')
    .addHelpText('after', examples('forge ssh known-hosts', 'forge ssh known-hosts forget nas.example.com'));
  addKnownHostsCommands(group, cli);
}
