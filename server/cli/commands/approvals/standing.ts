import type { Command } from 'commander';
import { useForge, type Cli } from '../../cli.ts';
import type { ForgeApi } from '../../api.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { localTime } from '../../format.ts';
import type { Cell } from '../../table.ts';
import { printJson, safeLine } from '../../terminal.ts';

type Standing = Awaited<ReturnType<ForgeApi['standing']>>[number];

export function addStandingCommands(group: Command, cli: Cli): void {
  group
    .command('standing')
    .description('what may run without being asked about')
    .option('--json', 'print it as JSON')
    .addHelpText('after', examples('forge approvals standing'))
    .action(cli.action((flags: { json?: boolean }) => standing(cli, flags.json === true)));
  group
    .command('revoke')
    .description('take a standing approval back')
    .argument('<id>', 'the standing approval')
    .addHelpText('after', examples('forge approvals revoke sta_1f2e3d4c5b6a7980'))
    .action(cli.action((id: string) => revoke(cli, id)));
}

async function standing(cli: Cli, asJson: boolean): Promise<ExitCode> {
  const all = await useForge(cli, ({ api }) => api.standing());
  const { terminal } = cli;
  if (asJson) printJson(terminal, all);
  else if (all.length === 0) terminal.out('There are no standing approvals: every destructive call is asked about.');
  else {
    terminal.table(
      [{ title: 'id' }, { title: 'tool' }, { title: 'left' }, { title: 'until' }, { title: 'when', flexible: true }],
      all.map((one) => [one.id, safeLine(one.tool_id), leftOf(one), untilOf(one), conditionsOf(one)]),
    );
  }
  return EXIT.ok;
}

async function revoke(cli: Cli, id: string): Promise<ExitCode> {
  await useForge(cli, ({ api }) => api.revokeStanding(id));
  cli.terminal.out(`${id} is taken back; calls it covered are asked about again`);
  return EXIT.ok;
}

function leftOf({ active, remaining, used }: Standing): Cell {
  if (!active) return { text: `over (used ${used})`, style: 'dim' };
  return remaining === null ? 'any number' : `${remaining} of ${remaining + used}`;
}

function untilOf({ until }: Standing): string {
  return until === null ? 'revoked' : localTime(until);
}

function conditionsOf({ conditions }: Standing): string {
  const parts = Object.entries(conditions).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return parts.length === 0 ? 'always' : safeLine(parts.join(' '));
}
