import type { Command } from 'commander';
import { plainText } from '../../../../shared/ui/plain-text.ts';
import type { Approval } from '../../api.ts';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { listTime } from '../../format.ts';
import { printJson, safeLine } from '../../terminal.ts';

interface ListFlags {
  all?: boolean;
  json?: boolean;
}

export function addListCommand(group: Command, cli: Cli): void {
  group
    .command('list', { isDefault: true })
    .description('what waits for a person')
    .option('--all', 'the latest 200, those that were decided too')
    .option('--json', 'print them as JSON')
    .addHelpText('after', examples('forge approvals', 'forge approvals list --all'))
    .action(cli.action((flags: ListFlags) => list(cli, flags)));
}

async function list(cli: Cli, flags: ListFlags): Promise<ExitCode> {
  const approvals = await useForge(cli, ({ api }) => api.approvals(flags.all === true));
  const { terminal } = cli;
  if (flags.json === true) printJson(terminal, approvals);
  else if (approvals.length === 0) terminal.out('Nothing waits for an approval.');
  else {
    terminal.table(
      [
        { title: 'id' },
        { title: 'asked' },
        { title: 'who' },
        { title: 'what' },
        ...(flags.all === true ? [{ title: 'status' }] : []),
        { title: 'arguments', flexible: true },
      ],
      approvals.map((approval) => [
        approval.id,
        listTime(approval.created_at),
        safeLine(approval.caller),
        whatOf(approval),
        ...(flags.all === true ? [safeLine(approval.status)] : []),
        safeLine(plainText(JSON.stringify(approval.args))),
      ]),
    );
  }
  return EXIT.ok;
}

/** The tool, and the host where the question is about that. */
function whatOf({ tool_id, host }: Approval): string {
  return safeLine(host === null ? tool_id : `${tool_id} → ${host}`);
}
