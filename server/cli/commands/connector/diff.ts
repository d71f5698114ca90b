import type { Command } from 'commander';
import { FORGE } from '../../../../shared/forge-command.ts';
import { useForge, type Cli } from '../../cli.ts';
import type { Connection } from '../../client.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printDiff } from '../../render-diff.ts';
import { printJson } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';

interface DiffFlags {
  file?: string;
  json?: boolean;
}

export function addDiffCommand(group: Command, cli: Cli): void {
  group
    .command('diff')
    .description('what the version in the registry would change in what you accepted')
    .argument('<id>', 'the connector')
    .option('--file <path>', 'compare with this manifest, zip or folder instead')
    .option('--json', 'print the changes as JSON')
    .addHelpText('after', examples('forge connector diff github', 'forge connector diff github --file ./github'))
    .action(cli.action((id: string, flags: DiffFlags) => diff(cli, id, flags)));
}

async function diff(cli: Cli, id: string, flags: DiffFlags): Promise<ExitCode> {
  const { file } = flags;
  const answer = await useForge(cli, (forge) => (file === undefined ? forge.api.diff(id) : diffFile(forge, id, file)));
  if (flags.json === true) printJson(cli.terminal, answer);
  else printDiff(cli.terminal, answer);
  return EXIT.ok;
}

async function diffFile(forge: Connection, id: string, file: string) {
  const { readSource } = await import('../../connector-source.ts');
  const { previewSource } = await import('../../preview.ts');
  const answer = await previewSource(forge, await readSource(file));
  if (answer.id === id) return answer;
  throw new UsageError(
    `${file} is the manifest of ${answer.id}, not of ${id}`,
    `Compare it with: ${FORGE} connector diff ${answer.id} --file ${file}`,
  );
}
