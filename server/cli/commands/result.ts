import type { Command } from 'commander';
import { isForgeError, ForgeError } from '../../../shared/errors.ts';
import { FORGE } from '../../../shared/forge-command.ts';
import { isRecord } from '../../../shared/json.ts';
import { resultPage, type ResultPage } from '../call/cut-result.ts';
import { printValue } from '../call/print-value.ts';
import { useForge, type Cli } from '../cli.ts';
import type { Connection } from '../client.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson, safeLine, type Terminal } from '../terminal.ts';
import { wholeNumber } from '../whole-number.ts';

interface ResultFlags {
  path?: string;
  offset?: string;
  limit?: string;
  search?: string;
  json?: boolean;
}

type Window = Omit<ResultFlags, 'json'>;

export function addResultCommand(program: Command, cli: Cli): void {
  program
    .command('result')
    .description('read on in a result that was too large to print; a running Forge keeps it for an hour')
    .argument('<handle>', `what \`${FORGE} call\` named`)
    .option('--path <path>', 'only what is there, such as a.b[0] or a[].b')
    .option('--offset <number>', 'begin with this item or character')
    .option('--limit <number>', 'at most this many items or characters')
    .option('--search <text>', 'only items, lines or values with this text in them')
    .option('--json', 'print the page as JSON')
    .addHelpText('after', EXAMPLES)
    .action(
      cli.action((handle: string, { json, ...window }: ResultFlags) => result(cli, handle, window, json === true)),
    );
}

async function result(cli: Cli, handle: string, window: Window, asJson: boolean): Promise<ExitCode> {
  const { offset, limit } = window;
  if (offset !== undefined) wholeNumber('--offset', offset, { min: 0, max: 999_999_999 });
  if (limit !== undefined) wholeNumber('--limit', limit, { min: 1, max: 999_999 });
  const page = await useForge(cli, (forge) => readPage(forge, handle, window));
  if (asJson) printJson(cli.terminal, page);
  else printPage(cli.terminal, handle, window, page);
  return EXIT.ok;
}

async function readPage({ api, isOwn }: Connection, handle: string, window: Window): Promise<ResultPage> {
  try {
    return await resultPage(api, handle, window);
  } catch (error) {
    if (!isOwn || !isForgeError(error, 'result_not_found')) throw error;
    throw new ForgeError('result_not_found', 'no Forge is running, so no result is kept', {
      hint: `Start one with \`${FORGE} start\` and repeat the call; or print everything at once with \`${FORGE} call … --full\`.`,
    });
  }
}

function printPage(terminal: Terminal, handle: string, window: Window, page: ResultPage): void {
  switch (page.kind) {
    case 'value':
      printValue(terminal, page.value);
      return;
    case 'text':
      terminal.text(page.text);
      break;
    case 'items':
      printValue(terminal, page.items);
      break;
    case 'matches':
      if (page.total > 0) printValue(terminal, page.matches.map(flatMatch));
      else terminal.note('(nothing matches)');
  }
  if (page.next_offset === null) return;
  const { path, search } = window;
  const options = [
    ...(path === undefined ? [] : [`--path ${quoted(path)}`]),
    ...(search === undefined ? [] : [`--search ${quoted(search)}`]),
    `--offset ${page.next_offset}`,
  ];
  terminal.note(`(${page.next_offset} of ${page.total}; read on: ${FORGE} result ${handle} ${options.join(' ')})`);
}

/** An item that matches becomes a row, with its place in the list in front. */
function flatMatch(match: unknown): unknown {
  return isRecord(match) && isRecord(match['item']) ? { index: match['index'], ...match['item'] } : match;
}

function quoted(text: string): string {
  return /^[\w.@:/-]+$/.test(text) ? text : `'${safeLine(text).replaceAll("'", `'\\''`)}'`;
}

const EXAMPLES = examples(
  'forge result res_1f2e3d4c5b6a79801f2e3d4c --offset 4000',
  'forge result res_1f2e3d4c5b6a79801f2e3d4c --path items[].title --search login',
);
