import type { Command } from 'commander';
import type { ChatMessage, ChatSessionDetail, ChatStarted } from '../../../shared/chat-api.ts';
import { ERRORS } from '../../../shared/error-table.ts';
import { ForgeError, type ErrorCode } from '../../../shared/errors.ts';
import { FORGE } from '../../../shared/forge-command.ts';
import { canAsk } from '../call/settle-approval.ts';
import { taskEvents } from '../call/task-events.ts';
import { useForge, type Cli } from '../cli.ts';
import type { Connection } from '../client.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { readStdin } from '../read-stdin.ts';
import { stopSignal } from '../stop-signal.ts';
import { printJson, screenText, type Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { createAnswerPrinter, type TaskEvent } from './chat-answer.ts';

interface ChatFlags {
  session?: string;
  model?: string;
  json?: boolean;
}

/** A little longer than an answer may take. */
const ANSWER_TIMEOUT_MS = 32 * 60_000;

export function addChatCommand(program: Command, cli: Cli): void {
  program
    .command('chat')
    .description('ask a model, which may use the tools')
    .argument('[question...]', 'what to ask; left out or -, it is read from standard input')
    .option('--session <id>', 'go on with this conversation')
    .option('--model <model>', 'provider/model, from now on in this conversation')
    .option('--json', 'print the answer as JSON once it is whole')
    .addHelpText('after', EXAMPLES)
    .action(
      cli.action(async (words: string[], flags: ChatFlags) => {
        const text = await questionOf(cli, words);
        return useForge(cli, (forge) => chat(cli, forge, text, flags));
      }),
    );
}

async function questionOf({ io }: Cli, words: readonly string[]): Promise<string> {
  const typed = words.join(' ').trim();
  if (typed !== '' && typed !== '-') return typed;
  const piped = io.stdin.isTTY === true ? '' : (await readStdin(io.stdin)).toString('utf8').trim();
  if (piped === '') throw new UsageError('there is no question', `Write it behind the command: ${FORGE} chat "…"`);
  return piped;
}

async function chat(cli: Cli, forge: Connection, text: string, flags: ChatFlags): Promise<ExitCode> {
  const { terminal } = cli;
  const { api } = forge;
  const model = flags.model === undefined ? {} : { model: flags.model };
  const session = flags.session ?? (await api.newSession(flags.model)).id;
  // Without anybody to ask, the model is told so, and the command does not hang.
  const approvals = canAsk(cli.io) ? 'wait' : 'later';
  if (flags.session !== undefined && flags.json !== true) printReports(terminal, await api.chatSession(session));
  const started = await api.say(session, { text, approvals, ...model });
  await follow(cli, forge, started, flags.json === true);
  const message = await api.message(session, started.assistant_message_id);
  if (flags.json === true) printJson(terminal, { session_id: session, task_id: started.task_id, message });
  else terminal.note(`go on with: ${FORGE} chat --session ${session} "…"`);
  return outcome(cli, message, flags.json === true);
}

/** What background watches have reported since the last answer, before the conversation goes on. */
function printReports(terminal: Terminal, { messages }: Pick<ChatSessionDetail, 'messages'>): void {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  for (const { role, parts, report } of messages.slice(last + 1)) {
    if (role !== 'report') continue;
    const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
    terminal.note(`watch of ${report?.tool_id ?? 'a tool'}: ${screenText(text)}`);
    if (report?.words !== undefined) terminal.note(`in the model’s words: ${screenText(report.words)}`);
  }
}

/** Prints the answer as it comes, and puts approvals to the person. Ctrl-C stops the answer, not only the printing. */
async function follow(cli: Cli, forge: Connection, { task_id }: ChatStarted, isQuiet: boolean): Promise<void> {
  const stop = stopSignal(cli.io);
  const cancel = (): void => void forge.api.cancelTask(task_id).catch(() => undefined);
  stop.signal.addEventListener('abort', cancel, { once: true });
  const printer = createAnswerPrinter(cli, forge, isQuiet);
  try {
    // The server's own events; the printer looks at their types.
    for await (const data of taskEvents(forge, task_id, ANSWER_TIMEOUT_MS)) printer.event(data as TaskEvent);
  } finally {
    await printer.end().finally(stop.dispose);
  }
}

function outcome({ terminal }: Cli, { status, error, parts }: ChatMessage, isQuiet: boolean): ExitCode {
  if (error !== null) {
    if (isQuiet) return EXIT.failed;
    const code = Object.hasOwn(ERRORS, error.code) ? (error.code as ErrorCode) : 'runtime_failed'; // own key checked in this line
    throw new ForgeError(code, error.message === '' ? status : error.message, { hint: error.hint });
  }
  const waiting = parts.flatMap((part) =>
    part.type === 'tool' && part.code === 'approval_required' && part.approval !== null ? [part.approval] : [],
  );
  for (const { id } of waiting) terminal.err(`  Approve it with: ${FORGE} approvals approve ${id}`);
  return waiting.length === 0 ? EXIT.ok : EXIT.approval;
}

const EXAMPLES = examples(
  'forge chat "Which issues are assigned to me?"',
  ['forge chat --session sess_1f2e3d4c5b6a "And which are overdue?"', 'go on'],
  ['git diff | forge chat - --model anthropic/claude-sonnet-5-5 --json', 'for scripts'],
);
