import type { Command } from 'commander';
import type { ToolSummary } from '../../../shared/api.ts';
import { useForge, type Cli } from '../cli.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { matchesSearch } from '../matches-search.ts';
import type { Cell } from '../table.ts';
import { printJson, safeLine, type Terminal } from '../terminal.ts';

export function addToolsCommand(program: Command, cli: Cli): void {
  program
    .command('tools')
    .description('the tools that can be called')
    .argument('[search]', 'only those with these words in their id or description')
    .option('--json', 'print them as JSON, with the schema of their arguments')
    .addHelpText('after', examples('forge tools', 'forge tools issue --json'))
    .action(
      cli.action((search: string | undefined, flags: { json?: boolean }) => tools(cli, search, flags.json === true)),
    );
}

async function tools(cli: Cli, search: string | undefined, asJson: boolean): Promise<ExitCode> {
  const all = await useForge(cli, ({ api }) => api.tools());
  const found = all.filter((tool) => matchesSearch(search, [tool.id, tool.description]));
  if (asJson) printJson(cli.terminal, found);
  else if (found.length > 0) printTools(cli.terminal, found);
  else
    cli.terminal.out(
      all.length === 0 ? 'There are no tools yet: no connector is installed and enabled.' : 'No tool matches.',
    );
  return EXIT.ok;
}

function marking({ destructive, only_reads }: ToolSummary): Cell {
  if (destructive) return { text: '! destructive', style: 'red' };
  return only_reads ? 'only reads' : '';
}

/** Tools as a table; those that can destroy something are marked. */
export function printTools(terminal: Terminal, list: readonly ToolSummary[]): void {
  terminal.table(
    [
      { title: 'tool' },
      { title: 'connector' },
      { title: 'protocol' },
      { title: 'mode' },
      { title: '' },
      { title: 'description', flexible: true },
    ],
    list.map((tool) => [
      tool.id,
      tool.connector,
      tool.protocol,
      { text: tool.mode, style: tool.mode === 'on' ? 'dim' : 'yellow' },
      marking(tool),
      safeLine(tool.description),
    ]),
  );
}
