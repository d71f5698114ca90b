import { FORGE } from '../../../shared/forge-command.ts';
import type { JsonValue } from '../../../shared/json.ts';
import { toolArgs, toolName } from '../../../shared/ui/chat/tool-words.ts';
import { settleApproval } from '../call/settle-approval.ts';
import type { Cli } from '../cli.ts';
import type { Connection } from '../client.ts';
import type { createMarkdownWriter } from '../markdown-writer.ts';
import { safeLine, screenText } from '../terminal.ts';

/** The events of a task that are worth a line; see GET /api/v2/tasks/:id/events. */
export type TaskEvent =
  | { type: 'execution.text'; data: { text: string; offset?: number } }
  | { type: 'execution.tool_call'; data: { id: string; name: string; title?: string; args: JsonValue } }
  | { type: 'execution.tool_approval'; data: { id: string; approvalId: string; reason: string } }
  | {
      type: 'execution.tool_result';
      data: { id: string; name: string; ok: boolean; code?: string; durationMs: number };
    }
  | { type: 'execution.warning'; data: { message: string } };

const MAX_ARGS = 100;

/**
 * The answer goes to standard output as it comes, on a terminal as Markdown; what the model does meanwhile is told on standard error, a line
 * each. Events that come while a person is asked wait, and the question is taken back once its tool has ended.
 */
export function createAnswerPrinter(cli: Cli, forge: Pick<Connection, 'api'>, isQuiet: boolean) {
  const { terminal } = cli;
  const output = createOutput(cli);
  const titles = new Map<string, string>();
  const questions = new Map<string, AbortController>();
  let last: Promise<void> = Promise.resolve();
  const line = (text: string): void => {
    if (isQuiet) return;
    output.end();
    terminal.note(text);
  };
  const ask = async (approvalId: string, reason: string, signal: AbortSignal): Promise<void> => {
    output.end();
    if (signal.aborted) return;
    if ((await settleApproval(cli, forge, approvalId, { signal })) !== 'waiting') return;
    line(`waiting for a person: ${reason} To approve it: ${FORGE} approvals approve ${approvalId}`);
  };

  const show = async (event: TaskEvent): Promise<void> => {
    switch (event.type) {
      case 'execution.text':
        return isQuiet ? undefined : output.text(event.data);
      case 'execution.tool_call': {
        const { id, name, args, title = toolName({ tool_id: null, name, args }) } = event.data;
        titles.set(id, title);
        line(`→ ${title} ${shortArgs(toolArgs({ name, args }))}`);
        return;
      }
      case 'execution.tool_approval': {
        const { id, approvalId, reason } = event.data;
        return ask(approvalId, reason, (questions.get(id) ?? new AbortController()).signal);
      }
      case 'execution.tool_result': {
        const { id, name, ok, code, durationMs } = event.data;
        const why = code === undefined ? '' : ` ${code}`;
        line(`${ok ? '✓' : '✗'} ${titles.get(id) ?? name}${why} (${(durationMs / 1000).toFixed(1)} s)`);
        return;
      }
      case 'execution.warning':
        terminal.warn(event.data.message);
    }
  };

  return {
    event(event: TaskEvent): void {
      // Whatever a tool was asked about before has been answered by then.
      if (event.type === 'execution.tool_approval' || event.type === 'execution.tool_result')
        questions.get(event.data.id)?.abort();
      if (event.type === 'execution.tool_approval') questions.set(event.data.id, new AbortController());
      last = last.then(() => show(event));
      // Whoever waits for the end is told.
      last.catch(() => undefined);
    },
    /** Whatever has not been answered by now, nobody waits for. */
    async end(): Promise<void> {
      for (const question of questions.values()) question.abort();
      await last.finally(output.end);
    },
  };
}

/** Writes the answer: styled for a person who sees colours, as it is for everything else. */
function createOutput({ io, terminal }: Pick<Cli, 'io' | 'terminal'>) {
  let writer: ReturnType<typeof createMarkdownWriter> | null = null;
  let isInLine = false;
  let printed = 0;
  return {
    async text({ text: given, offset = printed }: { text: string; offset?: number }): Promise<void> {
      // A piece may have been put together from several, some of which are here already.
      const text = given.slice(Math.max(0, printed - offset));
      printed += text.length;
      if (text === '') return;
      if (terminal.isStyled) {
        writer ??= (await import('../markdown-writer.ts')).createMarkdownWriter(terminal, (shown) => io.stdout.write(shown)); // prettier-ignore
        writer.add(text);
        return;
      }
      io.stdout.write(io.stdout.isTTY === true ? screenText(text) : text);
      isInLine = !text.endsWith('\n');
    },
    /** Ends the line, so that something else can be printed. */
    end: (): void => {
      writer?.end();
      if (isInLine) io.stdout.write('\n');
      isInLine = false;
    },
  };
}

function shortArgs(args: JsonValue): string {
  const text = JSON.stringify(args);
  return safeLine(text.length > MAX_ARGS ? `${text.slice(0, MAX_ARGS)}…` : text);
}
