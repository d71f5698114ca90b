import type { Command } from 'commander';
import type { ConnectorSummary } from '../../../../shared/api.ts';
import { ForgeError, isForgeError } from '../../../../shared/errors.ts';
import { useForge, type Cli } from '../../cli.ts';
import type { Connection } from '../../client.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { isInteractive } from '../../io.ts';
import { printError } from '../../print-error.ts';
import { confirm } from '../../prompts.ts';
import { printDiff } from '../../render-diff.ts';
import { safeLine } from '../../terminal.ts';
import { printToolModes } from '../../tool-modes.ts';

interface UpdateFlags {
  yes?: boolean;
}

export function addUpdateCommand(group: Command, cli: Cli): void {
  group
    .command('update')
    .description('bring connectors to the version in the registry; shows what changes first')
    .argument('[id...]', 'the connectors; all that have an update when left out')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', examples('forge connector update', 'forge connector update github jira --yes'))
    .action(
      cli.action((ids: string[], flags: UpdateFlags) => useForge(cli, (forge) => update(cli, forge, ids, flags))),
    );
}

async function update(cli: Cli, forge: Connection, ids: readonly string[], flags: UpdateFlags): Promise<ExitCode> {
  const { terminal } = cli;
  // Asked for before the list is read, so that it is compared with what the registry has now.
  const { problem } = await forge.api.marketplace(true);
  if (problem !== null) terminal.warn(`the registry cannot be read, so updates may be missing: ${problem.message}`);
  const installed = await forge.api.connectors();
  const wanted =
    ids.length === 0
      ? installed.filter((connector) => connector.update !== null)
      : ids.map((id) => find(installed, id));
  if (wanted.length === 0) terminal.out('Everything is up to date.');
  let outcome: ExitCode = problem === null ? EXIT.ok : EXIT.failed;
  for (const connector of wanted) {
    try {
      const one = await updateOne(cli, forge, connector, flags);
      if (outcome === EXIT.ok) outcome = one;
    } catch (error) {
      // One that fails must not keep the others from being updated.
      if (!isForgeError(error)) throw error;
      outcome = printError(terminal, error);
    }
  }
  return outcome;
}

async function updateOne(
  { io, terminal }: Cli,
  forge: Connection,
  connector: ConnectorSummary,
  flags: UpdateFlags,
): Promise<ExitCode> {
  if (connector.update === null) {
    terminal.out(`${connector.id} ${safeLine(connector.version)} is up to date`);
    return EXIT.ok;
  }
  const preview = await forge.api.previewOffered(connector.id);
  printDiff(terminal, preview);
  printToolModes(terminal, preview.tool_list, {});
  if (connector.edited)
    terminal.warn(`${connector.id} was edited here; the update replaces those changes (${connector.path})`);
  if (flags.yes !== true && isInteractive(io) && !(await confirm(io, `Update ${connector.id}?`))) {
    terminal.out(`${connector.id} was left as it is`);
    return EXIT.approval;
  }
  const answer = await forge.api.installOffered(connector.id, preview.sha256);
  terminal.out(`${terminal.paint('green', '✓')} updated ${answer.id} to ${answer.version}`);
  return EXIT.ok;
}

function find(installed: readonly ConnectorSummary[], id: string): ConnectorSummary {
  const found = installed.find((connector) => connector.id === id);
  if (found !== undefined) return found;
  throw new ForgeError('connector_not_found', `no connector called ${JSON.stringify(id.slice(0, 80))} is installed`);
}
