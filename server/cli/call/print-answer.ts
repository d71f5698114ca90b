import { FORGE } from '../../../shared/forge-command.ts';
import { isRecord } from '../../../shared/json.ts';
import type { Connection } from '../client.ts';
import { EXIT, exitCodeOf, type ExitCode } from '../exit-codes.ts';
import { printHint } from '../print-error.ts';
import { safeLine, screenText, type Terminal } from '../terminal.ts';
import { cutResult, isText, readWhole, type CutResult } from './cut-result.ts';
import type { CallAnswer } from './post-call.ts';
import { printRequest } from './print-request.ts';
import { printValue } from './print-value.ts';

/** What the server says about the answer of an http tool. */
interface StatusLine {
  status: number;
  statusText: string;
  method: string;
  url: string;
  headers: Record<string, string>;
}

interface PrintOptions {
  /** The whole of a result, however large it is. */
  full: boolean;
}

/** Shows how a call ended: the result on standard output, everything about it on standard error. */
export async function printAnswer(
  terminal: Terminal,
  forge: Pick<Connection, 'api' | 'isOwn'>,
  answer: CallAnswer,
  { full }: PrintOptions,
): Promise<ExitCode> {
  if (answer.dry_run !== undefined) {
    terminal.note('(nothing was sent: this is what would be)');
    printRequest(terminal, answer.dry_run);
    return EXIT.ok;
  }
  if (!answer.ok) return printFailure(terminal, answer);
  printStatusLine(terminal, answer.response);
  const cut = cutResult(answer.result);
  if (cut === null) printValue(terminal, answer.result);
  else if (full && typeof answer.handle === 'string')
    printValue(terminal, await readWhole(forge.api, answer.handle, cut));
  else printHead(terminal, cut, answer.handle ?? null, forge.isOwn);
  if (answer.watch_id !== undefined) printWatch(terminal, answer.watch_id, forge.isOwn);
  return EXIT.ok;
}

function printWatch(terminal: Terminal, id: string, isOwn: boolean): void {
  terminal.note(`It goes on, and Forge looks after it: ${FORGE} watch show ${id}`);
  if (isOwn) terminal.warn(`nobody looks after it until Forge runs: ${FORGE} start`);
}

/** `HTTP 200 OK · GET https://…`, and the headers the tool hands back. */
function printStatusLine(terminal: Terminal, response: unknown): void {
  if (!isRecord(response) || typeof response['status'] !== 'number') return;
  const { status, statusText = '', method = '', url = '', headers } = response as Partial<StatusLine>; // as the server makes it
  terminal.note(`HTTP ${status ?? ''} ${statusText} · ${method} ${url}`);
  for (const [name, value] of Object.entries(headers ?? {})) terminal.note(`${name}: ${value}`);
}

function printHead(terminal: Terminal, cut: CutResult, handle: string | null, isOwn: boolean): void {
  terminal.text(cut.head);
  terminal.warn(`this is only the beginning: ${cut.head.length} of ${cut.chars} characters`);
  if (!isText(cut)) terminal.err(`  The whole is a ${safeLine(cut.shape)}`);
  if (handle === null) terminal.err('  It is too large to keep; ask the tool for less.');
  else if (isOwn) {
    terminal.err(
      `  Call it with --full to print all of it. While a server runs (${FORGE} start), Forge keeps it for an`,
    );
    terminal.err('  hour, and it can be read in parts.');
  } else {
    const next = isText(cut) ? ` --offset ${cut.head.length}` : '';
    terminal.err(`  Read on: ${FORGE} result ${handle}${next}   (also with --path a.b[0] or --search text)`);
  }
}

/** What went wrong may have many lines, as programs print them. */
function printFailure(terminal: Terminal, { error, call_id: callId }: CallAnswer): ExitCode {
  const { code, message, hint, details } = error ?? { code: 'internal', message: 'the call failed', hint: '' };
  terminal.err(`forge: ${screenText(message).trim().replaceAll('\n', '\n  ')}`);
  const printed = isRecord(details) ? details['stdout'] : undefined;
  if (typeof printed === 'string') terminal.err(screenText(printed).trimEnd());
  if (hint !== '') printHint(terminal, hint);
  terminal.note(`  (${code}; ${FORGE} calls show ${callId} has the details)`);
  return exitCodeOf(code);
}
