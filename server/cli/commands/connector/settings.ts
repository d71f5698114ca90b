import type { Command } from 'commander';
import { addSettingsOptions, changeSettings, type SettingsFlags } from '../../change-settings.ts';
import type { Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { nextSettingsCommand } from '../../next-settings-command.ts';

export function addSettingsCommand(group: Command, cli: Cli): void {
  const command = group
    .command('settings')
    .description('show or change the settings of a connector')
    .argument('<id>', 'the connector');
  addSettingsOptions(command)
    .addHelpText('after', ROWS_HELP)
    .addHelpText('after', EXAMPLES)
    .action(cli.action((id: string, flags: SettingsFlags) => settings(cli, id, flags)));
}

function settings(cli: Cli, id: string, flags: SettingsFlags): Promise<ExitCode> {
  return changeSettings(
    cli,
    {
      read: (api) => api.settings(id),
      save: (api, values, revision) => api.saveSettings(id, values, revision),
      saved: ({ out, paint }, { missing, schema }) => {
        out(`${paint('green', '✓')} saved the settings of ${id}`);
        if (missing.length > 0) out(`  Still missing: ${nextSettingsCommand(id, schema, missing)}`);
      },
    },
    flags,
  );
}

const ROWS_HELP = `
Rows are named by their name: instances.prod.base_url is the field base_url of the row prod, which is added when there is
no such row. --unset instances.prod removes the row.`;

const EXAMPLES = examples(
  'forge connector settings github',
  'forge connector settings github --set default_owner=octocat --secret token',
  'pass show jenkins | forge connector settings jenkins --secret instances.prod.api_token',
  'forge connector settings jenkins --set instances.prod.base_url=https://ci.example.com',
);
