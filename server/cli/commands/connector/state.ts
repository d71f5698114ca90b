import type { Command } from 'commander';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { safeLine } from '../../terminal.ts';
import { stateWord } from '../../state-word.ts';
import { printFindings } from './show.ts';

/** `enable`, `disable` and `refresh`. */
export function addStateCommands(group: Command, cli: Cli): void {
  for (const [word, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    group
      .command(word)
      .description(enabled ? 'switch a connector on again' : 'switch a connector off; its settings stay')
      .argument('<id>', 'the connector')
      .addHelpText('after', examples(`forge connector ${word} github`))
      .action(cli.action((id: string) => setEnabled(cli, id, enabled)));
  }
  group
    .command('refresh')
    .description('read a connector from disk again and tell what the linter says')
    .argument('<id>', 'the connector')
    .addHelpText('after', examples('forge connector refresh my-connector'))
    .action(cli.action((id: string) => refresh(cli, id)));
}

async function setEnabled(cli: Cli, id: string, enabled: boolean): Promise<ExitCode> {
  const connector = await useForge(cli, ({ api }) => api.setEnabled(id, enabled));
  cli.terminal.out(`${connector.id} is ${enabled ? 'enabled' : 'disabled'}${reasonOf(connector, enabled)}`);
  return EXIT.ok;
}

function reasonOf({ state, reason }: { state: string; reason: string }, enabled: boolean): string {
  return enabled && state !== 'ready' ? `, but cannot be used yet: ${safeLine(reason)}` : '';
}

async function refresh(cli: Cli, id: string): Promise<ExitCode> {
  const connector = await useForge(cli, ({ api }) => api.refresh(id));
  printFindings(cli.terminal, connector);
  const reason = connector.reason === '' ? '' : `: ${safeLine(connector.reason)}`;
  cli.terminal.out(`${connector.id} ${safeLine(connector.version)} is ${stateWord(connector)}${reason}`);
  return connector.state === 'broken' ? EXIT.failed : EXIT.ok;
}
