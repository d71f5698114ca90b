import { isForgeError, type ForgeError } from '../../shared/errors.ts';
import { FORGE } from '../../shared/forge-command.ts';
import { isRecord } from '../../shared/json.ts';
import { EXIT, exitCodeOf, type ExitCode } from './exit-codes.ts';
import { safeLine, safeText, type Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Hints of the API that have a command for the same thing. */
const COMMANDS: Readonly<Record<string, string>> = {
  'GET /api/connectors lists the installed ones.': `\`${FORGE} connector list\` shows the installed ones.`,
  'GET /api/connectors/marketplace lists what it has.': `\`${FORGE} marketplace\` shows what it has.`,
  'GET /api/tools lists the tools that can be called.': `\`${FORGE} tools\` shows the tools that can be called.`,
  'GET /api/approvals lists them.': `\`${FORGE} approvals\` shows those that wait.`,
};

/** Tells a person what went wrong and what to do next; returns the exit code that fits. */
export function printError(terminal: Terminal, error: unknown): ExitCode {
  if (error instanceof UsageError) {
    terminal.warn(error.message);
    printHint(terminal, error.hint);
    return EXIT.usage;
  }
  if (isForgeError(error)) {
    terminal.warn(error.message);
    for (const line of detailLines(error)) terminal.err(`  ${safeLine(line)}`);
    printHint(terminal, error.hint);
    return exitCodeOf(error.code);
  }
  terminal.warn(`something unforeseen happened: ${error instanceof Error ? error.message : String(error)}`);
  if (error instanceof Error && error.stack !== undefined) terminal.err(safeText(error.stack));
  return EXIT.failed;
}

/** What to do next; a hint of the API names the command that does the same. */
export function printHint(terminal: Terminal, hint: string): void {
  terminal.err(`  ${safeLine(COMMANDS[hint] ?? hint)}`);
}

/** One line for each field or place that the error lists. */
function detailLines({ code, details }: ForgeError): string[] {
  if (!Array.isArray(details)) return [];
  const entries = details.filter(isRecord);
  if (code === 'invalid_settings')
    return entries.map(({ path, label, message }) => `${text(path)} (${text(label)}) ${text(message)}`);
  return entries.map(
    ({ line, column, severity, message }) => `${text(line)}:${text(column)} ${text(severity)} ${text(message)}`,
  );
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
