import type { Command } from 'commander';
import { FORGE } from '../../../../shared/forge-command.ts';
import { useForge, type Cli } from '../../cli.ts';
import { collectValues, splitPair } from '../../collect-values.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printJson } from '../../terminal.ts';
import { limitsOf, readConditions } from './limits.ts';

interface AllowFlags {
  maxUses?: string;
  until?: string;
  when?: string[];
  json?: boolean;
}

export function addAllowCommand(group: Command, cli: Cli): void {
  group
    .command('allow')
    .description('let a tool run without asking, for so many calls or so long; also one that asks in a browser')
    .argument('<tool>', 'its id, such as jira.add_comment')
    .option('--max-uses <number>', 'for this many calls')
    .option('--until <date>', 'through this day, or up to this time')
    .option('--when <name=value>', 'only when this argument has this value (repeat for more)', collectValues)
    .option('--json', 'print the standing approval as JSON')
    .addHelpText('after', examples('forge approvals allow jira.add_comment --max-uses 10 --when project=DEMO'))
    .action(cli.action((tool: string, flags: AllowFlags) => allow(cli, tool, flags)));
}

async function allow(cli: Cli, tool: string, flags: AllowFlags): Promise<ExitCode> {
  const limits = limitsOf(flags);
  const pairs = (flags.when ?? []).map((text) => splitPair(text, '--when'));
  const standing = await useForge(cli, async ({ api }) => {
    const conditions = pairs.length === 0 ? {} : { conditions: await readConditions(api, tool, pairs) };
    return api.allow({ tool_id: tool, ...limits, ...conditions });
  });
  const { terminal } = cli;
  if (flags.json === true) printJson(terminal, standing);
  else
    terminal.out(
      `${terminal.paint('green', '✓')} allowed; \`${FORGE} approvals standing\` shows it, and \`revoke\` takes it back`,
    );
  return EXIT.ok;
}
