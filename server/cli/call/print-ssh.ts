import { isRecord } from '../../../shared/json.ts';
import { safeLine, screenText, type Terminal } from '../terminal.ts';

/** What is typed on another computer, and where; true when it was such a request. */
export function printSsh({ out, paint }: Terminal, request: Record<string, unknown>): boolean {
  const target = request['target'] ?? request['ssh'];
  const { jump, commands } = request;
  if (!isRecord(target) || !Array.isArray(commands)) return false;
  const via = isRecord(jump) ? ` -J ${place(jump)}` : '';
  out(paint('bold', `ssh${via} ${place(target)}`));
  for (const command of commands) out(`  ${safeLine(String(command))}`);
  return true;
}

/** What a terminal printed; true when there was one. */
export function printTerminalOutput({ out, paint }: Terminal, response: Record<string, unknown>): boolean {
  const { output, captured } = response;
  if (typeof output !== 'string' || !isRecord(captured)) return false;
  out(screenText(output).trimEnd());
  for (const [name, value] of Object.entries(captured))
    out(`${paint('dim', safeLine(name))} ${safeLine(String(value))}`);
  return true;
}

function place({ username, host, port }: Record<string, unknown>): string {
  return safeLine(`${String(username)}@${String(host)}:${String(port)}`);
}
