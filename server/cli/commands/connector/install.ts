import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { InstallAnswer } from '../../../../shared/api.ts';
import type { DiffAnswer } from '../../../../shared/diff-api.ts';
import { ForgeError, isForgeError } from '../../../../shared/errors.ts';
import { FORGE } from '../../../../shared/forge-command.ts';
import type { PreviewAnswer } from '../../../../shared/install-api.ts';
import { closestWord } from '../../../../shared/manifest/did-you-mean.ts';
import { BUNDLED_REGISTRY } from '../../../config.ts';
import { useForge, type Cli } from '../../cli.ts';
import type { Connection } from '../../client.ts';
import type { ConnectorSource } from '../../connector-source.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { isInteractive } from '../../io.ts';
import { nextSettingsCommand } from '../../next-settings-command.ts';
import { confirm } from '../../prompts.ts';
import { printDiff, printReach } from '../../render-diff.ts';
import { renderFinding } from '../../render-finding.ts';
import { safeLine } from '../../terminal.ts';
import { addModeOptions, modesFrom, printToolModes, type ModeFlags, type Modes } from '../../tool-modes.ts';

interface InstallFlags extends ModeFlags {
  yes?: boolean;
}

export function addInstallCommand(group: Command, cli: Cli): void {
  const command = group
    .command('install')
    .description('install or replace a connector; its settings stay')
    .argument('<source>', 'manifest, zip or folder on this computer, or the id of a connector in the registry')
    .option('-y, --yes', 'do not ask before installing');
  addModeOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(cli.action((source: string, flags: InstallFlags) => install(cli, source, flags)));
}

function install(cli: Cli, source: string, flags: InstallFlags): Promise<ExitCode> {
  const isPath = existsSync(source) || /\.(ya?ml|zip)$/i.test(source);
  return isPath
    ? installLocal(cli, source, flags)
    : useForge(cli, (forge) => installOffered(cli, forge, source, flags));
}

async function installLocal(cli: Cli, place: string, flags: InstallFlags): Promise<ExitCode> {
  const { readSource } = await import('../../connector-source.ts');
  const { manifestText } = await import('../../manifest-text.ts');
  const { previewSource, sourceBody } = await import('../../preview.ts');
  const source = await readSource(place);
  const text = manifestText(source.files);
  try {
    return await useForge(cli, async (forge) => {
      const preview = await previewSource(forge, source);
      const modes = modesFrom(flags, preview.tool_list);
      if (!(await accept(cli, preview, modes, flags))) return EXIT.approval;
      const answer = await forge.api.install(sourceBody(source), preview.sha256, modes);
      for (const warning of answer.warnings) cli.terminal.err(renderFinding(cli.terminal, warning, source.label, text));
      for (const name of source.ignored)
        cli.terminal.warn(`${name.slice(0, 100)} is not part of a connector and was left out`);
      await report(cli, forge, answer);
      return EXIT.ok;
    });
  } catch (error) {
    if (!isForgeError(error, 'invalid_manifest')) throw error;
    return refuse(cli, error, source, text);
  }
}

async function installOffered(cli: Cli, forge: Connection, id: string, flags: InstallFlags): Promise<ExitCode> {
  const { location, connectors } = await forge.api.marketplace();
  const isOffered = connectors.some((entry) => entry.id === id);
  const near = isOffered ? null : closestWord(id, connectors.map((entry) => entry.id)); // prettier-ignore
  if (near !== null) {
    throw new ForgeError(
      'connector_not_found',
      `the registry has no connector called ${JSON.stringify(id)}, and there is no such file`,
      {
        hint: `Did you mean ${near}? \`${FORGE} marketplace\` shows what it has.`,
      },
    );
  }
  const preview = await forge.api.previewOffered(id);
  const modes = modesFrom(flags, preview.tool_list);
  // What came with Forge is trusted as much as Forge, unless it replaces something else.
  const isTrusted = location === BUNDLED_REGISTRY && preview.from_version === null;
  if (isTrusted) printReach(cli.terminal, preview);
  if (isTrusted || !preview.changed) printToolModes(cli.terminal, preview.tool_list, modes);
  else if (!(await accept(cli, preview, modes, flags))) return EXIT.approval;
  const answer = await forge.api.installOffered(id, preview.sha256, modes);
  for (const { line, message } of answer.warnings)
    cli.terminal.warn(`warning in line ${line} of its manifest: ${message}`);
  await report(cli, forge, answer);
  return EXIT.ok;
}

/** Shows what comes in; a person at a terminal is asked, and a script has decided by running the command. */
async function accept(
  { io, terminal }: Cli,
  diff: DiffAnswer & Pick<PreviewAnswer, 'tool_list'>,
  modes: Modes,
  flags: InstallFlags,
): Promise<boolean> {
  if (diff.from_version === null) printReach(terminal, diff);
  else printDiff(terminal, diff);
  printToolModes(terminal, diff.tool_list, modes);
  if (flags.yes === true || !isInteractive(io)) return true;
  if (await confirm(io, `Install ${diff.id} ${diff.to_version}?`)) return true;
  terminal.out('Nothing was installed.');
  return false;
}

async function report({ terminal }: Cli, forge: Connection, answer: InstallAnswer): Promise<void> {
  const { out, paint } = terminal;
  const before =
    answer.previous_version === null || answer.previous_version === answer.version
      ? ''
      : ` (was ${answer.previous_version})`;
  out(`${paint('green', '✓')} installed ${paint('bold', answer.id)} ${answer.version}${before}`);
  out(`  ${answer.path} (edit it there; a change counts from the next call on)`);
  const { missing, schema } = await forge.api.settings(answer.id);
  if (missing.length === 0) return;
  out(`  It still needs ${missing.map(({ label }) => safeLine(label)).join(', ')}:`);
  out(`  ${nextSettingsCommand(answer.id, schema, missing)}`);
}

/** A manifest that is not accepted is shown the way the linter shows it. */
function refuse({ terminal }: Cli, error: ForgeError, source: ConnectorSource, text: string): ExitCode {
  // The server and the local check both list the linter's findings here.
  const findings = Array.isArray(error.details) ? (error.details as InstallAnswer['warnings']) : [];
  for (const finding of findings) terminal.err(`${renderFinding(terminal, finding, source.label, text)}\n`);
  terminal.warn(findings.length === 0 ? error.message : `${source.label} was not installed: it has errors`);
  return EXIT.failed;
}

const EXAMPLES = examples(
  ['forge connector install github', 'from the registry (see forge marketplace)'],
  ['forge connector install my-connector/', 'a folder with manifest.yaml and tools/*.js'],
  'forge connector install my-connector.zip',
  ['forge connector install manifest.yaml --yes --ask add_comment --never delete_issue', 'with modes of its tools'],
);
