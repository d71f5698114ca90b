import type { Command } from 'commander';
import { ForgeError } from '../../../shared/errors.ts';
import { FORGE } from '../../../shared/forge-command.ts';
import { cutResult, readWhole } from '../call/cut-result.ts';
import { callHeld } from '../call/held-call.ts';
import type { CallBody, CallReply } from '../call/post-call.ts';
import { printAnswer } from '../call/print-answer.ts';
import { readCallArguments, type ArgumentFlags } from '../call/read-call-arguments.ts';
import { useForge, type Cli } from '../cli.ts';
import type { Connection } from '../client.ts';
import { collectValues } from '../collect-values.ts';
import { examples } from '../examples.ts';
import { EXIT, exitCodeOf, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../terminal.ts';

interface CallFlags extends ArgumentFlags {
  browser?: string;
  dryRun?: boolean;
  yes?: boolean;
  full?: boolean;
  json?: boolean;
}

export function addCallCommand(program: Command, cli: Cli): void {
  program
    .command('call')
    .description('call a tool')
    .argument('<tool>', `the tool, as \`${FORGE} tools\` shows it`)
    .option('--args <json>', 'its arguments as a JSON object; @file reads them from a file, - from standard input')
    .option('--set <name=value>', 'one argument, read as the tool expects it (repeat for more)', collectValues)
    .option('--browser <browser>', 'the browser a browser tool runs in, by its id or name')
    .option('--dry-run', 'show what would be sent, with secrets masked, and send nothing')
    .option(
      '-y, --yes',
      'approve the call without being asked; changes to the connector’s files are asked about all the same',
    )
    .option('--full', 'print the whole result, however large')
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', EXAMPLES)
    .action(
      cli.action((tool: string, flags: CallFlags) => useForge(cli, (forge) => callTool(cli, forge, tool, flags))),
    );
}

async function callTool(cli: Cli, forge: Connection, toolId: string, flags: CallFlags): Promise<ExitCode> {
  const { terminal } = cli;
  // One that is not in the list may be switched off; the server says what is the matter with it.
  const tool = (await forge.api.tools()).find(({ id, name }) => id === toolId || name === toolId);
  const args = await readCallArguments(cli.io, flags, tool?.input_schema ?? null);
  if (forge.isOwn && tool?.protocol === 'browser' && flags.dryRun !== true) throw needsServer();
  const body: CallBody = {
    args,
    ...(flags.browser === undefined ? {} : { browser: flags.browser }),
    ...(flags.dryRun === true ? { dry_run: true } : {}),
  };
  const reply = await callHeld(cli, forge, { toolId, tool, body, yes: flags.yes === true });
  if (reply === 'denied') {
    terminal.warn('denied; nothing was sent');
    return EXIT.approval;
  }
  if (flags.json === true) printJson(terminal, flags.full === true ? await wholeAnswer(forge, reply) : reply.body);
  if (reply.kind === 'answer') {
    if (flags.json !== true) return printAnswer(terminal, forge, reply.body, { full: flags.full === true });
    return reply.body.ok ? EXIT.ok : exitCodeOf(reply.body.error?.code ?? '');
  }
  terminal.warn(`a person has to approve this first: ${reply.message.replace(/\.?\n/g, '. ')}`);
  terminal.err(`  Approve it with: ${FORGE} approvals approve ${reply.approvalId}`);
  terminal.err('  Then run the same command again within ten minutes. With --yes it asks nobody.');
  return EXIT.approval;
}

/** The answer with the whole result in place of the beginning of one that was cut. */
async function wholeAnswer({ api }: Connection, reply: CallReply): Promise<unknown> {
  if (reply.kind !== 'answer') return reply.body;
  const { result, handle } = reply.body;
  const cut = cutResult(result);
  if (cut === null || typeof handle !== 'string') return reply.body;
  return { ...reply.body, result: await readWhole(api, handle, cut) };
}

/** A Forge that lives only as long as the command is gone before any extension could find it. */
function needsServer(): ForgeError {
  return new ForgeError(
    'extension_missing',
    'a browser tool needs a running Forge that the extension is connected to',
    {
      hint: 'Start Forge with `npm start`, then call again.',
    },
  );
}

const EXAMPLES = examples(
  'forge call git.log --set repo=/home/ana/src/shop --set limit=5',
  `forge call jira.create_issue --args '{"project": "SHOP", "summary": "Cart is empty"}' --dry-run`,
  'forge call github.list_issues --args @query.json --json',
);
