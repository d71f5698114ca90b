import type { Command } from 'commander';
import type { WatchSummary } from '../../../../shared/watches-api.ts';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { listTime } from '../../format.ts';
import type { Cell } from '../../table.ts';
import { printJson, safeLine } from '../../terminal.ts';

interface ListFlags {
  all?: boolean;
  json?: boolean;
}

const STYLES: Record<WatchSummary['state'], 'cyan' | 'yellow' | 'green' | 'red' | 'dim'> = {
  polling: 'cyan',
  acting: 'cyan',
  parked: 'yellow',
  done: 'green',
  failed: 'red',
  cancelled: 'dim',
};

export function addListCommand(group: Command, cli: Cli): void {
  group
    .command('list', { isDefault: true })
    .description('the watches that are active, newest first')
    .option('--all', 'those that have ended too')
    .option('--json', 'print them as JSON')
    .addHelpText('after', examples('forge watch', 'forge watch list --all'))
    .action(cli.action((flags: ListFlags) => list(cli, flags)));
}

async function list(cli: Cli, { all = false, json = false }: ListFlags): Promise<ExitCode> {
  const watches = await useForge(cli, ({ api }) => api.watches(all));
  const { terminal } = cli;
  if (json) printJson(terminal, watches);
  else if (watches.length === 0) terminal.out(all ? 'There are no watches.' : 'No watch is active.');
  else {
    terminal.table(
      [
        { title: 'id' },
        { title: 'state' },
        { title: 'polls' },
        { title: 'next' },
        { title: 'tool' },
        { title: 'what', flexible: true },
      ],
      watches.map((watch) => [
        watch.id,
        stateCell(watch),
        `${watch.poll_count}/${watch.max_polls}`,
        watch.next_poll_at === null ? '' : listTime(watch.next_poll_at),
        safeLine(watch.tool_id),
        safeLine(watch.reason?.message ?? watch.progress ?? ''),
      ]),
    );
  }
  return EXIT.ok;
}

export function stateCell({ state }: Pick<WatchSummary, 'state'>): Exclude<Cell, string> {
  return { text: state, style: STYLES[state] };
}
