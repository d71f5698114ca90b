import type { Command } from 'commander';
import { useForge, type Cli } from '../../cli.ts';
import type { Connection } from '../../client.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { isInteractive } from '../../io.ts';
import { confirm } from '../../prompts.ts';
import { printDiff, printReach } from '../../render-diff.ts';

interface AcceptFlags {
  yes?: boolean;
}

export function addAcceptCommand(group: Command, cli: Cli): void {
  group
    .command('accept')
    .description('show how a connector’s files differ from what you accepted, and accept them')
    .argument('<id>', 'the connector')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', examples('forge connector accept github'))
    .action(cli.action((id: string, flags: AcceptFlags) => useForge(cli, (forge) => accept(cli, forge, id, flags))));
}

async function accept({ io, terminal }: Cli, { api }: Connection, id: string, flags: AcceptFlags): Promise<ExitCode> {
  const review = await api.review(id);
  if (!review.changed) {
    terminal.out(`${id} is as you accepted it`);
    return EXIT.ok;
  }
  if (review.from_version === null) printReach(terminal, review);
  else printDiff(terminal, review);
  if (flags.yes !== true && !(isInteractive(io) && (await confirm(io, `Accept ${id} as it is now?`)))) {
    terminal.out('Nothing was accepted.');
    if (!isInteractive(io)) terminal.err('  Nobody can be asked here. If you agree, run it again with --yes.');
    return EXIT.approval;
  }
  await api.accept(id, review.sha256);
  terminal.out(`${terminal.paint('green', '✓')} accepted ${id} ${review.to_version}`);
  return EXIT.ok;
}
