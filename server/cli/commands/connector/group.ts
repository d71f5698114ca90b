import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { addAcceptCommand } from './accept.ts';
import { addDiffCommand } from './diff.ts';
import { addInstallCommand } from './install.ts';
import { addLintCommand } from './lint.ts';
import { addListCommand } from './list.ts';
import { addRemoveCommand } from './remove.ts';
import { addSettingsCommand } from './settings.ts';
import { addShowCommand } from './show.ts';
import { addStateCommands } from './state.ts';
import { addToolsCommand } from './tools.ts';
import { addTestCommand } from './test-connector.ts';
import { addUpdateCommand } from './update.ts';
import { examples } from '../../examples.ts';

/** `forge connector …`: everything about single connectors. */
export function addConnectorCommands(program: Command, cli: Cli): void {
  const group = program
    .command('connector')
    .alias('connectors')
    .description('write, install and look after connectors')
    .addHelpText('after', EXAMPLES);
  addListCommand(group, cli);
  addShowCommand(group, cli);
  addInstallCommand(group, cli);
  addSettingsCommand(group, cli);
  addToolsCommand(group, cli);
  addTestCommand(group, cli);
  addStateCommands(group, cli);
  addUpdateCommand(group, cli);
  addDiffCommand(group, cli);
  addAcceptCommand(group, cli);
  addRemoveCommand(group, cli);
  addLintCommand(group, cli);
}

const EXAMPLES = examples(
  'forge connector list',
  'forge connector lint my-connector/manifest.yaml',
  'forge connector install my-connector',
  'forge connector settings my-connector --set base_url=https://example.com --secret token',
  'forge connector test my-connector',
);
