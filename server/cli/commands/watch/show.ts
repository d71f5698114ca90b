import type { Command } from 'commander';
import { reportText } from '../../../../shared/report-text.ts';
import type { WatchDetail } from '../../../../shared/watches-api.ts';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { listTime, localTime } from '../../format.ts';
import { printJson, safeLine, screenText, type Terminal } from '../../terminal.ts';
import { stateCell } from './list.ts';

export function addShowCommand(group: Command, cli: Cli): void {
  group
    .command('show')
    .description('one watch: what it polls, what came of it, and why it has ended')
    .argument('<id>', 'the watch')
    .option('--json', 'print it as JSON')
    .addHelpText('after', examples('forge watch show wch_1f2e3d4c5b6a7980'))
    .action(cli.action((id: string, flags: { json?: boolean }) => show(cli, id, flags.json === true)));
}

async function show(cli: Cli, id: string, asJson: boolean): Promise<ExitCode> {
  const watch = await useForge(cli, ({ api }) => api.watch(id));
  if (asJson) printJson(cli.terminal, watch);
  else {
    printFacts(cli.terminal, watch);
    printReports(cli.terminal, watch.reports);
    printPolls(cli.terminal, watch.polls);
  }
  return EXIT.ok;
}

function printFacts({ out, paint }: Terminal, watch: WatchDetail): void {
  const fact = (name: string, value: string) => {
    if (value !== '') out(`${name.padEnd(9)} ${value}`);
  };
  const { text, style } = stateCell(watch);
  const why = watch.reason === null ? '' : ` (${safeLine(watch.reason.code)}: ${safeLine(watch.reason.message)})`;
  fact('watch', watch.id);
  fact('state', `${paint(style, text)}${why}`);
  fact('tool', `${safeLine(watch.tool_id)}, call ${watch.call_id} by ${safeLine(watch.caller)}`);
  fact('polls', `${safeLine(watch.poll_tool)} ${safeLine(JSON.stringify(watch.poll_args))}`);
  fact('progress', `${watch.poll_count} of ${watch.max_polls} polls ${safeLine(watch.progress ?? '')}`.trim());
  fact('began', localTime(watch.created_at));
  fact('next', watch.next_poll_at === null ? '' : localTime(watch.next_poll_at));
  fact('deadline', watch.ended_at === null ? localTime(watch.deadline_at) : '');
  fact('ended', watch.ended_at === null ? '' : localTime(watch.ended_at));
  if (watch.action !== null) {
    const { tool_id, args, status } = watch.action;
    fact('then', `${safeLine(tool_id)} ${safeLine(JSON.stringify(args))} (${status})`);
  }
}

function printReports(terminal: Terminal, reports: WatchDetail['reports']): void {
  for (const { at, deliveries, ...report } of reports) {
    terminal.out();
    terminal.out(terminal.paint('dim', `reported ${localTime(at)}`));
    terminal.out(screenText(reportText(report)));
    for (const { channel, state, problem } of deliveries)
      terminal.out(terminal.paint('dim', `  ${channel}: ${state}${problem === null ? '' : ` (${safeLine(problem)})`}`));
  }
}

function printPolls(terminal: Terminal, polls: WatchDetail['polls']): void {
  if (polls.length === 0) return;
  terminal.out();
  terminal.table(
    [{ title: 'polled' }, { title: 'outcome' }, { title: 'call' }, { title: 'result', flexible: true }],
    polls.map(({ at, outcome, call_id, code, message, result }) => [
      listTime(at),
      safeLine(code ?? outcome),
      call_id ?? '',
      safeLine(message ?? result ?? ''),
    ]),
  );
}
