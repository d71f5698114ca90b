import type { Command } from 'commander';
import { isRecord, ownValue } from '../../../../shared/json.ts';
import { printRequest, printResponse } from '../../call/print-request.ts';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { duration, localTime } from '../../format.ts';
import { printJson, safeLine, type Terminal } from '../../terminal.ts';
import type { ForgeApi } from '../../api.ts';
import { failureCode } from './failure-code.ts';

type CallDetail = Awaited<ReturnType<ForgeApi['call']>>;

export function addShowCommand(group: Command, cli: Cli): void {
  group
    .command('show')
    .description('one call: its stages with their times, what was sent and what came back')
    .argument('<id>', 'the call')
    .option('--json', 'print it as JSON')
    .addHelpText('after', examples('forge calls show call_1f2e3d4c5b6a7980'))
    .action(cli.action((id: string, flags: { json?: boolean }) => show(cli, id, flags.json === true)));
}

async function show(cli: Cli, id: string, asJson: boolean): Promise<ExitCode> {
  const call = await useForge(cli, ({ api }) => api.call(id));
  if (asJson) printJson(cli.terminal, call);
  else {
    printFacts(cli.terminal, call);
    printStages(cli.terminal, call);
    printTrace(cli.terminal, call);
  }
  return EXIT.ok;
}

function printFacts({ out, paint }: Terminal, call: CallDetail): void {
  const fact = (name: string, value: string) => {
    if (value !== '') out(`${name.padEnd(9)} ${value}`);
  };
  const isRunning = call.outcome === 'started';
  const style = isRunning ? 'cyan' : call.outcome === 'ok' ? 'green' : 'red';
  const outcome = paint(style, isRunning ? 'running' : failureCode(call));
  const hasEnded = call.outcome === 'ok' || call.outcome === 'error';
  fact('call', call.id);
  fact('tool', safeLine(call.tool_id));
  fact('time', localTime(call.at));
  fact('who', `${safeLine(call.caller)}${kindOf(call)}`);
  fact('outcome', hasEnded ? `${outcome} after ${duration(call.duration_ms)}` : outcome);
  fact('message', safeLine(call.message ?? ''));
  fact('arguments', safeLine(JSON.stringify(call.args ?? {})));
}

/** How the caller came in; calls of older logs do not say. */
function kindOf({ trace }: CallDetail): string {
  const kind = ownValue(trace, 'caller_kind');
  return typeof kind === 'string' ? ` (${safeLine(kind)})` : '';
}

function printStages(terminal: Terminal, { stages }: CallDetail): void {
  if (!isRecord(stages) || Object.keys(stages).length === 0) return;
  terminal.out();
  terminal.table(
    [{ title: 'stage' }, { title: 'took' }],
    Object.entries(stages).map(([name, ms]) => [safeLine(name), typeof ms === 'number' ? precise(ms) : '']),
  );
}

/** Stages are short, so their milliseconds have decimals. */
function precise(ms: number): string {
  return ms < 10 ? `${ms.toFixed(2)} ms` : duration(ms);
}

function printTrace(terminal: Terminal, { trace }: CallDetail): void {
  if (!isRecord(trace)) return;
  const parts = [
    ['sent', trace['request'], printRequest],
    ['came back', trace['response'], printResponse],
  ] as const;
  for (const [title, value, print] of parts) {
    if (value === null || value === undefined) continue;
    terminal.out();
    terminal.out(terminal.paint('dim', title.toUpperCase()));
    print(terminal, value);
  }
}
