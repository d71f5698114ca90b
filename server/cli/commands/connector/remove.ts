import { Option, type Command } from 'commander';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { isInteractive } from '../../io.ts';
import { choose } from '../../prompts.ts';
import { UsageError } from '../../usage-error.ts';

interface RemoveFlags {
  keepSettings?: boolean;
  deleteSettings?: boolean;
}

type Choice = 'keep' | 'delete';

export function addRemoveCommand(group: Command, cli: Cli): void {
  group
    .command('remove')
    .alias('uninstall')
    .description('remove a connector; say whether its settings and secrets stay for a later install')
    .argument('<id>', 'the connector')
    .addOption(new Option('--keep-settings', 'keep its settings and secrets').conflicts('deleteSettings'))
    .option('--delete-settings', 'delete its settings and secrets')
    .addHelpText('after', examples('forge connector remove github --keep-settings'))
    .action(cli.action((id: string, flags: RemoveFlags) => remove(cli, id, flags)));
}

async function remove(cli: Cli, id: string, flags: RemoveFlags): Promise<ExitCode> {
  const given = flags.keepSettings === true ? 'keep' : flags.deleteSettings === true ? 'delete' : null;
  if (given === null && !isInteractive(cli.io)) {
    throw new UsageError(`say what happens to the settings of ${id}`, 'Add --keep-settings or --delete-settings.');
  }
  return useForge(cli, async ({ api }) => {
    // A mistyped id is told before anything is asked.
    await api.connector(id);
    const choice = given ?? (await ask(cli, id));
    if (choice === null) {
      cli.terminal.out('Nothing was removed.');
      return EXIT.approval;
    }
    await api.remove(id, choice);
    cli.terminal.out(
      `${id} was removed; its settings ${choice === 'keep' ? 'are kept for a later install' : 'were deleted'}`,
    );
    return EXIT.ok;
  });
}

async function ask({ io }: Cli, id: string): Promise<Choice | null> {
  const answer = await choose(io, `Remove ${id}?`, {
    keep: 'Remove it, keep its settings for a later install',
    delete: 'Remove it, delete its settings and secrets',
    no: 'Do not remove it',
  });
  return answer === 'no' ? null : answer;
}
