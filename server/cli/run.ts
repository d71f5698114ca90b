import { Command, CommanderError } from 'commander';
import { FORGE } from '../../shared/forge-command.ts';
import { readConfig, type Config } from '../config.ts';
import type { Cli } from './cli.ts';
import { addStartCommand } from './commands/start.ts';
import { examples } from './examples.ts';
import { EXIT, EXIT_CODES_HELP, type ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';
import { printError } from './print-error.ts';
import { createTerminal, safeText } from './terminal.ts';

/** The whole `forge` command: `argv` without the program's name, and the world around it. Answers the exit code. */
export async function runCli(argv: readonly string[], io: Io): Promise<ExitCode> {
  const terminal = createTerminal(io);
  let outcome: ExitCode = EXIT.ok;
  let config: Config | null = null;
  const cli: Cli = {
    io,
    terminal,
    config: () => (config ??= readConfig(io.env)),
    action:
      (run) =>
      async (...args) => {
        outcome = await run(...args);
      },
  };
  try {
    const program = createProgram(cli);
    // A start need not read the code of all the others.
    if (argv[0] !== 'start') (await import('./commands/all-but-start.ts')).addCommands(program, cli);
    await program.parseAsync(argv, { from: 'user' });
    return outcome;
  } catch (error) {
    if (!(error instanceof CommanderError)) return printError(terminal, error);
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}

function createProgram(cli: Cli): Command {
  const { stdout, stderr } = cli.io;
  const program = new Command(FORGE)
    .description('Gives a chat LLM hands in the services you already use.')
    .exitOverride()
    // An option belongs to the word it stands behind, though another word before it may know one of that name.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (text, write) => write(withoutValue(safeText(text.replace(/^error: /, 'forge: ')))),
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
    })
    .showHelpAfterError('Run the command with --help to see how it is used.')
    .addHelpText('afterAll', EXIT_CODES_HELP)
    .addHelpText('after', EXAMPLES);
  addStartCommand(program, cli);
  return program;
}

/** A mistyped option may carry a secret behind its `=`, which must not be repeated on the screen. */
function withoutValue(text: string): string {
  return text.replace(/unknown option '(--?[^=']*)=[^\n]*'/, "unknown option '$1'");
}

const EXAMPLES = examples(
  ['forge start', 'run Forge and print the login link'],
  ['forge marketplace', 'what can be installed'],
  ['forge connector install github', 'install a connector'],
  ['forge connector settings github --secret token', 'give it its token'],
  ['forge call git.log --set repo=/home/ana/src/shop', 'call a tool'],
  ['forge chat "Which issues are mine?"', 'let a model use the tools'],
  ['forge calls', 'what was called'],
  ['forge doctor', 'find out what is wrong'],
);
