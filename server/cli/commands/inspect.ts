import type { Command } from 'commander';
import { ForgeError } from '../../../shared/errors.ts';
import { leftOutText, matchLines, outlineLines } from '../../tools/outline-text.ts';
import type { InspectBody } from '../api.ts';
import { useForge, type Cli } from '../cli.ts';
import type { Connection } from '../client.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson, safeText, type Terminal } from '../terminal.ts';
import { wholeNumber } from '../whole-number.ts';

interface InspectFlags {
  selector?: string;
  limit?: string;
  browser?: string;
  json?: boolean;
}

const DEFAULT_LIMIT = 300;

export function addInspectCommand(program: Command, cli: Cli): void {
  program
    .command('inspect')
    .description('open a page in a connected browser and print its outline, for whoever writes a browser tool')
    .argument('<url>', 'the page')
    .option('--selector <css>', 'what this selector finds there, in place of the outline')
    .option('--limit <number>', `at most this many lines of the outline (${DEFAULT_LIMIT})`)
    .option('--browser <browser>', 'the browser to open it in, by its id or name')
    .option('--json', 'print it as JSON')
    .addHelpText('after', EXAMPLES)
    .action(
      cli.action((url: string, flags: InspectFlags) => useForge(cli, (forge) => inspect(cli, forge, url, flags))),
    );
}

async function inspect({ terminal }: Cli, forge: Connection, url: string, flags: InspectFlags): Promise<ExitCode> {
  const max_nodes = wholeNumber('--limit', flags.limit ?? String(DEFAULT_LIMIT), { min: 1, max: 5000 });
  if (forge.isOwn)
    throw new ForgeError(
      'extension_missing',
      'looking at a page needs a running Forge that a browser is connected to',
      {
        hint: 'Start Forge with `npm start`, then try again.',
      },
    );
  const action: InspectBody['action'] =
    flags.selector === undefined ? { kind: 'outline', max_nodes } : { kind: 'selector', selector: flags.selector };
  const answer = await forge.api.inspect({
    url,
    action,
    ...(flags.browser === undefined ? {} : { browser: flags.browser }),
  });
  if (flags.json === true) printJson(terminal, answer);
  else if (flags.selector === undefined) printOutline(terminal, answer);
  else printMatches(terminal, answer.value);
  return EXIT.ok;
}

function printOutline(terminal: Terminal, { url, value }: { url: string; value: unknown }): void {
  terminal.note(url);
  for (const line of outlineLines(value)) terminal.out(safeText(line));
  terminal.note(leftOutText(value));
}

function printMatches(terminal: Terminal, value: unknown): void {
  const [head = '', ...lines] = matchLines(value);
  terminal.note(head);
  for (const line of lines) terminal.out(safeText(line.replaceAll(/[\n\r]+/g, ' ')));
}

const EXAMPLES = examples(
  'forge inspect https://tracker.example.com/issues',
  "forge inspect https://tracker.example.com/issues --selector 'tr.issue td.subject'",
);
