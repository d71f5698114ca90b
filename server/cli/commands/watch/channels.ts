import type { Command } from 'commander';
import { addSettingsOptions, changeSettings, type SettingsFlags } from '../../change-settings.ts';
import type { Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';

export function addChannelsCommand(group: Command, cli: Cli): void {
  const command = group
    .command('channels')
    .description('show or change where reports go besides their conversation: browser, webhook, Telegram');
  const place: Parameters<typeof changeSettings>[1] = {
    read: (api) => api.channels(),
    save: (api, values, revision) => api.saveChannels(values, revision),
    saved: ({ out, paint }) => out(`${paint('green', '✓')} saved where reports go`),
  };
  addSettingsOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(cli.action((flags: SettingsFlags) => changeSettings(cli, place, flags)));
}

const EXAMPLES = examples(
  'forge watch channels',
  'forge watch channels --set webhook_url=https://hooks.example.com/forge --secret webhook_secret',
  'forge watch channels --secret telegram_token',
);
