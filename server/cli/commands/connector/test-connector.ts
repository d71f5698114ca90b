import type { Command } from 'commander';
import type { TestAnswer } from '../../api.ts';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, exitCodeOf, type ExitCode } from '../../exit-codes.ts';
import { duration } from '../../format.ts';
import { printJson, safeLine, type Terminal } from '../../terminal.ts';

interface TestFlags {
  instance?: string;
  json?: boolean;
}

export function addTestCommand(group: Command, cli: Cli): void {
  group
    .command('test')
    .description('run the connector’s own test: is its service there, and does it accept the settings?')
    .argument('<id>', 'the connector')
    .option('--instance <name>', 'which of its instances; the first when left out')
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', examples('forge connector test github', 'forge connector test jenkins --instance prod'))
    .action(cli.action((id: string, flags: TestFlags) => test(cli, id, flags)));
}

async function test(cli: Cli, id: string, { instance, json }: TestFlags): Promise<ExitCode> {
  const answer = await useForge(cli, ({ api }) => api.test(id, instance));
  if (json === true) printJson(cli.terminal, answer);
  else printTest(cli.terminal, answer);
  return answer.ok ? EXIT.ok : exitCodeOf(answer.code ?? '');
}

function printTest({ out, paint }: Terminal, answer: TestAnswer): void {
  for (const { name, ok, ms } of answer.steps) {
    out(`  ${mark({ paint }, ok)} ${safeLine(name).padEnd(10)} ${paint('dim', duration(ms))}`);
  }
  if (answer.url !== undefined) out(paint('dim', `  ${safeLine(answer.url)}`));
  out(`${mark({ paint }, answer.ok)} ${paint(answer.ok ? 'green' : 'red', safeLine(answer.message))}`);
  if (answer.hint !== undefined) out(`  ${safeLine(answer.hint)}`);
}

function mark({ paint }: Pick<Terminal, 'paint'>, isOk: boolean): string {
  return isOk ? paint('green', '✓') : paint('red', '✗');
}
