import type { Command } from 'commander';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printJson } from '../../terminal.ts';
import { addModeOptions, modesFrom, type ModeFlags } from '../../tool-modes.ts';
import { printTools } from '../tools.ts';

interface ToolsFlags extends ModeFlags {
  json?: boolean;
}

/** `forge connector tools`: what a person lets callers do with each tool. */
export function addToolsCommand(group: Command, cli: Cli): void {
  const command = group
    .command('tools')
    .description('the tools of a connector; sets each to on, ask or never for every caller')
    .argument('<id>', 'the connector')
    .option('--json', 'print them as JSON');
  addModeOptions(command)
    .addHelpText(
      'after',
      examples(
        'forge connector tools jira',
        ['forge connector tools jira --ask add_comment', 'asks you before each call'],
        ['forge connector tools jira --never add_comment --on list_my_issues', 'a call fails, whoever makes it'],
      ),
    )
    .action(cli.action((id: string, flags: ToolsFlags) => tools(cli, id, flags)));
}

async function tools(cli: Cli, id: string, flags: ToolsFlags): Promise<ExitCode> {
  const list = await useForge(cli, async ({ api }) => {
    const { tool_list } = await api.connector(id);
    const modes = modesFrom(flags, tool_list);
    return Object.keys(modes).length === 0 ? tool_list : api.setModes(id, modes);
  });
  if (flags.json === true) printJson(cli.terminal, list);
  else printTools(cli.terminal, list);
  return EXIT.ok;
}
