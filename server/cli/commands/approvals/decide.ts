import type { Command } from 'commander';
import { ForgeError } from '../../../../shared/errors.ts';
import { FORGE } from '../../../../shared/forge-command.ts';
import type { Approval, ForgeApi } from '../../api.ts';
import { questionOf } from '../../call/settle-approval.ts';
import { useForge, type Cli } from '../../cli.ts';
import { collectValues, splitPair } from '../../collect-values.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printJson } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { limitsOf, readConditions, type Limits } from './limits.ts';

interface ApproveFlags {
  forTool?: boolean;
  maxUses?: string;
  until?: string;
  when?: string[];
  json?: boolean;
}

export function addDecisionCommands(group: Command, cli: Cli): void {
  group
    .command('approve')
    .description('say yes to one call, or with --for-tool to later ones too')
    .argument('<id>', 'the approval')
    .option('--for-tool', 'do not ask for this tool again, within --max-uses, --until or both')
    .option('--max-uses <number>', 'for this many later calls')
    .option('--until <date>', 'through this day, or up to this time')
    .option('--when <name=value>', 'only when this argument has this value (repeat for more)', collectValues)
    .option('--json', 'print the decided approval as JSON')
    .addHelpText('after', EXAMPLES)
    .action(cli.action((id: string, flags: ApproveFlags) => approve(cli, id, flags)));
  group
    .command('deny')
    .description('say no')
    .argument('<id>', 'the approval')
    .option('--json', 'print the decided approval as JSON')
    .addHelpText('after', examples('forge approvals deny apr_1f2e3d4c5b6a7980'))
    .action(cli.action((id: string, flags: { json?: boolean }) => deny(cli, id, flags.json === true)));
}

async function approve(cli: Cli, id: string, flags: ApproveFlags): Promise<ExitCode> {
  const limits = readLimits(flags);
  const pairs = (flags.when ?? []).map((text) => splitPair(text, '--when'));
  const approval = await useForge(cli, async ({ api }) => {
    if (limits === null) return api.decide(id, { decision: 'approve' });
    if (pairs.length === 0) return api.decide(id, { decision: 'approve', standing: limits });
    const { tool_id } = await pendingApproval(api, id);
    const conditions = await readConditions(api, tool_id, pairs);
    return api.decide(id, { decision: 'approve', standing: { ...limits, conditions } });
  });
  const { terminal } = cli;
  if (flags.json === true) printJson(terminal, approval);
  else {
    terminal.out(`${terminal.paint('green', '✓')} approved: ${questionOf(approval)}`);
    terminal.out(
      limits === null
        ? '  A call that still waits runs now; otherwise the yes is good for one repeat of it, within ten minutes.'
        : `  \`${FORGE} approvals standing\` shows what is allowed from now on.`,
    );
  }
  return EXIT.ok;
}

async function deny(cli: Cli, id: string, asJson: boolean): Promise<ExitCode> {
  const approval = await useForge(cli, ({ api }) => api.decide(id, { decision: 'deny' }));
  if (asJson) printJson(cli.terminal, approval);
  else cli.terminal.out(`denied: ${questionOf(approval)}`);
  return EXIT.ok;
}

/** Null when the yes is for one call only. */
function readLimits({ forTool, maxUses, until, when }: ApproveFlags): Limits | null {
  if (forTool !== true) {
    if (maxUses === undefined && until === undefined && when === undefined) return null;
    throw new UsageError('limits without --for-tool', 'Add --for-tool to allow later calls within these limits.');
  }
  return limitsOf({ maxUses, until });
}

async function pendingApproval(api: ForgeApi, id: string): Promise<Approval> {
  const found = (await api.approvals()).find((approval) => approval.id === id);
  if (found !== undefined) return found;
  throw new ForgeError('not_found', `no approval ${JSON.stringify(id.slice(0, 80))} waits for a decision`, {
    hint: `\`${FORGE} approvals\` shows those that wait.`,
  });
}

const EXAMPLES = examples(
  ['forge approvals approve apr_1f2e3d4c5b6a7980', 'this one call'],
  ['forge approvals approve apr_1f2e3d4c5b6a7980 --for-tool --when project=demo --max-uses 10', 'and some more'],
);
