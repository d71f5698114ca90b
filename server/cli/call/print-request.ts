import { isRecord } from '../../../shared/json.ts';
import { printJson, safeLine, screenText, type Terminal } from '../terminal.ts';
import { printSsh, printTerminalOutput } from './print-ssh.ts';

/** What a call sends, or would send: a request as it goes over the wire, or a command as it could be typed. */
export function printRequest(terminal: Terminal, request: unknown): void {
  if (isRecord(request) && Array.isArray(request['argv'])) printCommand(terminal, request['argv'], request);
  else if (isRecord(request) && typeof request['url'] === 'string') printHttp(terminal, request['url'], request);
  else if (!isRecord(request) || !printSsh(terminal, request)) printJson(terminal, request ?? null);
}

/** What came back, as far as the log keeps it. */
export function printResponse(terminal: Terminal, response: unknown): void {
  if (!isRecord(response)) {
    printJson(terminal, response ?? null);
    return;
  }
  const { out, paint } = terminal;
  if (typeof response['status'] === 'number') {
    out(`HTTP ${response['status']} ${safeLine(text(response['status_text']))}`.trimEnd());
    printPairs(terminal, response['headers'], ': ');
    printBody(terminal, response['head']);
    return;
  }
  if ('exit_code' in response) {
    const { exit_code: code, signal } = response;
    out(code === null ? `ended by ${safeLine(text(signal))}` : `exit code ${safeLine(text(code))}`);
    for (const name of ['stdout', 'stderr']) {
      if (text(response[name]) === '') continue;
      out(paint('dim', name));
      out(screenText(text(response[name])).trimEnd());
    }
    return;
  }
  if (!printTerminalOutput(terminal, response)) printJson(terminal, response);
}

function printHttp(terminal: Terminal, url: string, request: Record<string, unknown>): void {
  terminal.out(`${terminal.paint('bold', safeLine(text(request['method'])))} ${safeLine(url)}`);
  printPairs(terminal, request['headers'], ': ');
  printBody(terminal, request['body']);
  const { exchange, login } = request;
  for (const step of Array.isArray(login) ? (login as unknown[]) : []) {
    if (!isRecord(step) || typeof step['url'] !== 'string') continue;
    terminal.out();
    terminal.out(terminal.paint('dim', 'with a session from'));
    printHttp(terminal, step['url'], step);
  }
  if (!isRecord(exchange) || typeof exchange['url'] !== 'string') return;
  terminal.out();
  terminal.out(terminal.paint('dim', 'with a bearer from'));
  printHttp(terminal, exchange['url'], exchange);
}

function printCommand(terminal: Terminal, argv: readonly unknown[], request: Record<string, unknown>): void {
  terminal.out(terminal.paint('bold', argv.map((part) => shellQuoted(text(part))).join(' ')));
  if (typeof request['cwd'] === 'string') terminal.out(`in ${safeLine(request['cwd'])}`);
  printPairs(terminal, request['env'], '=');
}

function printPairs({ out }: Terminal, pairs: unknown, between: string): void {
  if (!isRecord(pairs)) return;
  for (const [name, value] of Object.entries(pairs)) out(`${safeLine(name)}${between}${safeLine(text(value))}`);
}

function printBody({ out }: Terminal, body: unknown): void {
  if (text(body) === '') return;
  out();
  out(screenText(text(body)).trimEnd());
}

/** Quoted so that it is plain where one argument ends. */
function shellQuoted(part: string): string {
  const shown = screenText(part);
  return /^[\w@%+=:,./[\]-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`;
}

function text(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
