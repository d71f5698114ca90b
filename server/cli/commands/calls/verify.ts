import type { Command } from 'commander';
import { FORGE } from '../../../../shared/forge-command.ts';
import { isRecord } from '../../../../shared/json.ts';
import type { ForgeApi } from '../../api.ts';
import { useForge, type Cli } from '../../cli.ts';
import { countOf } from '../../count-of.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { localTime } from '../../format.ts';
import { printJson, safeLine, type Terminal } from '../../terminal.ts';

interface VerifyFlags {
  json?: boolean;
  since?: string;
}

type Answer = Awaited<ReturnType<ForgeApi['verifyCalls']>>;

const SHOWN_PRUNES = 3;

export function addVerifyCommand(group: Command, cli: Cli): void {
  group
    .command('verify')
    .description('whether anybody has changed the log behind Forge’s back')
    .option('--since <head>', 'also compare with a head that this command printed before')
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', examples('forge calls verify', 'forge calls verify --since 1042:9f8e7d6c5b4a3210'))
    .action(cli.action((flags: VerifyFlags) => verify(cli, flags)));
}

async function verify(cli: Cli, { json, since }: VerifyFlags): Promise<ExitCode> {
  const { terminal } = cli;
  const answer = await useForge(cli, ({ api }) => api.verifyCalls(since));
  if (json === true) printJson(terminal, answer);
  else if (answer.ok) printSound(terminal, answer, since);
  else {
    terminal.out(`${terminal.paint('red', '✗')} the log was changed: ${brokenPlace(answer.firstBroken)}`);
    terminal.out(`  The ${countOf(answer.calls, 'call')} before that place are as Forge wrote them.`);
  }
  return answer.ok ? EXIT.ok : EXIT.failed;
}

function printSound({ out, paint }: Terminal, answer: Answer, since: string | undefined): void {
  out(`${paint('green', '✓')} ${countOf(answer.calls, 'call')}, and the log is as Forge wrote it`);
  const warn = (text: string) => out(`${paint('yellow', '!')} ${text}`);
  if (answer.keyless > 0)
    warn(
      `${countOf(answer.keyless, 'row')} from before the log had a key: their chain holds, but it can be rewritten.`,
    );
  if (answer.unkeyed > 0)
    warn(`${countOf(answer.unkeyed, 'row')} written while secrets could not be read: anybody can write such rows.`);
  if (answer.sincePruned === true) warn(`The row of ${safeLine(since ?? '')} has been pruned since, as listed below.`);
  for (const { at, count, why } of answer.pruned.slice(0, SHOWN_PRUNES)) {
    const reason = why === 'age' ? 'by age' : 'because there were too many';
    out(`  ${localTime(at)}: Forge removed the ${countOf(count, 'oldest row')}, ${reason}.`);
  }
  if (answer.head === null) return;
  out(`  Head ${answer.head}. Note it elsewhere: \`${FORGE} calls verify --since ${answer.head}\``);
  out('  then also notices that the whole data dir was replaced by an older copy.');
}

function brokenPlace(broken: unknown): string {
  if (!isRecord(broken)) return 'it is not said where';
  const { seq, id, reason } = broken;
  const row = typeof id === 'string' ? `row ${String(seq)} (${id})` : `row ${String(seq)}`;
  return safeLine(`${row}: ${String(reason)}`);
}
