import type { JsonValue } from '../../../shared/json.ts';
import { settleApproval } from '../call/settle-approval.ts';
import type { Cli } from '../cli.ts';
import type { Connection } from '../client.ts';
import { safeLine, screenText } from '../terminal.ts';

/** The events of a task that are worth a line; see GET /api/v2/tasks/:id/events. */
export type TaskEvent =
  | { type: 'execution.text'; data: { text: string; offset?: number } }
  | { type: 'execution.tool_call'; data: { id: string; name: string; args: JsonValue } }
  | { type: 'execution.tool_approval'; data: { id: string; approvalId: string; reason: string } }
  | { type: 'execution.tool_result'; data: { name: string; ok: boolean; code?: string; durationMs: number } }
  | { type: 'execution.warning'; data: { message: string } };

const MAX_ARGS = 100;

/** The answer goes to standard output as it comes; what the model does meanwhile is told on standard error, a line each. */
export function createAnswerPrinter(cli: Cli, forge: Pick<Connection, 'api'>, isQuiet: boolean) {
  const { io, terminal } = cli;
  let isInLine = false;
  let printed = 0;
  const endLine = (): void => {
    if (isInLine) io.stdout.write('\n');
    isInLine = false;
  };
  const line = (text: string): void => {
    if (isQuiet) return;
    endLine();
    terminal.note(text);
  };

  return {
    async event(event: TaskEvent): Promise<void> {
      switch (event.type) {
        case 'execution.text': {
          if (isQuiet) return;
          const { offset = printed } = event.data;
          // A piece may have been put together from several, some of which are here already.
          const text = event.data.text.slice(Math.max(0, printed - offset));
          printed += text.length;
          if (text === '') return;
          io.stdout.write(io.stdout.isTTY === true ? screenText(text) : text);
          isInLine = !text.endsWith('\n');
          return;
        }
        case 'execution.tool_call':
          line(`→ ${event.data.name} ${shortArgs(event.data.args)}`);
          return;
        case 'execution.tool_approval':
          endLine();
          await settleApproval(cli, forge, event.data.approvalId);
          return;
        case 'execution.tool_result': {
          const { name, ok, code, durationMs } = event.data;
          line(
            `${ok ? '✓' : '✗'} ${name}${code === undefined ? '' : ` ${code}`} (${(durationMs / 1000).toFixed(1)} s)`,
          );
          return;
        }
        case 'execution.warning':
          terminal.warn(event.data.message);
      }
    },
    end: endLine,
  };
}

function shortArgs(args: JsonValue): string {
  const text = JSON.stringify(args);
  return safeLine(text.length > MAX_ARGS ? `${text.slice(0, MAX_ARGS)}…` : text);
}
