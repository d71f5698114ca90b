import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { addInstallCommand } from './install.ts';
import { serveStdio, type ServeFlags } from './serve.ts';
import { addTokenCommands } from './token.ts';

/** `forge mcp …`: Forge's tools for other programs that talk to models. */
export function addMcpCommands(program: Command, cli: Cli): void {
  const group = program
    .command('mcp')
    .description('speak the Model Context Protocol on standard input and output, for a client that starts this command')
    .enablePositionalOptions()
    .option('--client <name>', 'the client’s name in Forge, with the limits it was given')
    .option('--connectors <ids>', 'list the tools of these connectors one by one, separated by commas')
    .addHelpText('after', EXAMPLES)
    .action(cli.action((flags: ServeFlags) => serveStdio(cli, flags)));
  addInstallCommand(group, cli);
  addTokenCommands(group, cli);
}

const EXAMPLES = examples(
  ['forge mcp install claude-desktop', 'set up a client'],
  ['forge mcp', 'what the client starts'],
  ['forge mcp token --name nightly --read-only', 'a token for a client that uses HTTP'],
);
