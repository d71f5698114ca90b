import type { Command } from 'commander';
import type { CallRow } from '../../api.ts';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { duration, listTime } from '../../format.ts';
import type { Cell } from '../../table.ts';
import { printJson, safeLine } from '../../terminal.ts';
import { wholeNumber } from '../../whole-number.ts';
import { failureCode } from './failure-code.ts';
import { addFilterOptions, filterOf, type FilterFlags } from './filter.ts';

interface ListFlags extends FilterFlags {
  limit: string;
  json?: boolean;
}

export function addListCommand(group: Command, cli: Cli): void {
  const command = group.command('list', { isDefault: true }).description('the latest calls, newest first');
  addFilterOptions(command)
    .option('--limit <number>', 'how many', '20')
    .option('--json', 'print them as JSON')
    .addHelpText('after', examples('forge calls', 'forge calls --tool git.log --limit 5', 'forge calls --failed'))
    .action(cli.action((flags: ListFlags) => list(cli, flags)));
}

function isFiltered(flags: ListFlags): boolean {
  return Object.keys(filterOf(flags)).length > 0;
}

async function list(cli: Cli, flags: ListFlags): Promise<ExitCode> {
  const limit = String(wholeNumber('--limit', flags.limit, { min: 1, max: 1000 }));
  const calls = await useForge(cli, ({ api }) => api.calls({ ...filterOf(flags), limit }));
  const { terminal } = cli;
  if (flags.json === true) printJson(terminal, calls);
  else if (calls.length === 0) terminal.out(isFiltered(flags) ? 'No call matches.' : 'No tool was called yet.');
  else {
    terminal.table(
      [
        { title: 'time' },
        { title: 'id' },
        { title: 'who' },
        { title: 'tool' },
        { title: 'outcome' },
        { title: 'took' },
        { title: 'arguments', flexible: true },
      ],
      calls.map((call) => [
        listTime(call.at),
        call.id,
        safeLine(call.caller),
        safeLine(call.tool_id),
        outcomeCell(call),
        call.outcome === 'started' || call.outcome === 'interrupted' ? '' : duration(call.duration_ms),
        safeLine(JSON.stringify(call.args ?? {})),
      ]),
    );
  }
  return EXIT.ok;
}

/** `ok`, or the code of what went wrong. */
function outcomeCell(call: Pick<CallRow, 'outcome' | 'code' | 'approval'>): Cell {
  const { outcome } = call;
  if (outcome === 'started') return { text: 'running', style: 'cyan' };
  return outcome === 'ok' ? { text: 'ok', style: 'green' } : { text: failureCode(call), style: 'red' };
}
