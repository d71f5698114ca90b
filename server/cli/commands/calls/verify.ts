import type { Command } from 'commander';
import { isRecord } from '../../../../shared/json.ts';
import { useForge, type Cli } from '../../cli.ts';
import { countOf } from '../../count-of.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printJson, safeLine } from '../../terminal.ts';

export function addVerifyCommand(group: Command, cli: Cli): void {
  group
    .command('verify')
    .description('whether anybody has changed the log behind Forge’s back')
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', examples('forge calls verify'))
    .action(cli.action((flags: { json?: boolean }) => verify(cli, flags.json === true)));
}

async function verify(cli: Cli, asJson: boolean): Promise<ExitCode> {
  const { terminal } = cli;
  const answer = await useForge(cli, ({ api }) => api.verifyCalls());
  if (asJson) printJson(terminal, answer);
  else if (answer.ok) {
    terminal.out(
      `${terminal.paint('green', '✓')} ${countOf(answer.checked, 'call')}, and the log is as Forge wrote it`,
    );
  } else {
    terminal.out(`${terminal.paint('red', '✗')} the log was changed: ${brokenPlace(answer.firstBroken)}`);
    terminal.out(`  The ${countOf(answer.checked, 'call')} before that place are as Forge wrote them.`);
  }
  return answer.ok ? EXIT.ok : EXIT.failed;
}

function brokenPlace(broken: unknown): string {
  if (!isRecord(broken)) return 'it is not said where';
  const { seq, id, reason } = broken;
  const row = typeof id === 'string' ? `row ${String(seq)} (${id})` : `row ${String(seq)}`;
  return safeLine(`${row}: ${String(reason)}`);
}
