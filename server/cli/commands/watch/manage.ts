import type { Command } from 'commander';
import { FORGE } from '../../../../shared/forge-command.ts';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';

export function addManageCommands(group: Command, cli: Cli): void {
  group
    .command('cancel')
    .description('end a watch; it polls no more and reports nothing')
    .argument('<id>', 'the watch')
    .addHelpText('after', examples('forge watch cancel wch_1f2e3d4c5b6a7980'))
    .action(cli.action((id: string) => cancel(cli, id)));
  group
    .command('retry')
    .description('begin a watch again that has failed or was cancelled, or poll a parked one at once')
    .argument('<id>', 'the watch')
    .addHelpText('after', examples('forge watch retry wch_1f2e3d4c5b6a7980'))
    .action(cli.action((id: string) => retry(cli, id)));
}

async function cancel(cli: Cli, id: string): Promise<ExitCode> {
  await useForge(cli, ({ api }) => api.cancelWatch(id));
  cli.terminal.out(`${id} is cancelled; what it watched goes on by itself`);
  return EXIT.ok;
}

async function retry(cli: Cli, id: string): Promise<ExitCode> {
  const isOwn = await useForge(cli, async ({ api, isOwn: own }) => {
    await api.retryWatch(id);
    return own;
  });
  cli.terminal.out(isOwn ? `${id} polls as soon as Forge runs (${FORGE} start)` : `${id} polls now`);
  return EXIT.ok;
}
