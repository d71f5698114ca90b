import type { Command } from 'commander';
import type { ConnectorSummary } from '../../../../shared/api.ts';
import { FORGE } from '../../../../shared/forge-command.ts';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { stateStyle, stateWord } from '../../state-word.ts';
import { printJson, safeLine } from '../../terminal.ts';

export function addListCommand(group: Command, cli: Cli): void {
  group
    .command('list')
    .alias('ls')
    .description('the installed connectors and their state')
    .option('--json', 'print them as JSON')
    .addHelpText('after', examples('forge connector list'))
    .action(cli.action((flags: { json?: boolean }) => list(cli, flags.json === true)));
}

async function list(cli: Cli, asJson: boolean): Promise<ExitCode> {
  const connectors = await useForge(cli, ({ api }) => api.connectors());
  const { terminal } = cli;
  if (asJson) printJson(terminal, connectors);
  else if (connectors.length === 0)
    terminal.out(`No connector is installed yet. \`${FORGE} marketplace\` shows what there is.`);
  else {
    terminal.table(
      [{ title: 'id' }, { title: 'version' }, { title: 'tools' }, { title: 'state' }, { title: '', flexible: true }],
      connectors.map((connector) => [
        connector.id,
        safeLine(connector.version),
        String(connector.tools),
        { text: stateWord(connector), style: stateStyle(connector) },
        notes(connector),
      ]),
    );
  }
  return EXIT.ok;
}

function notes(connector: ConnectorSummary): string {
  const parts = [
    connector.state === 'disabled' ? '' : safeLine(connector.reason),
    connector.state === 'ready' ? safeLine(connector.health.message) : '',
    connector.update === null
      ? ''
      : `update to ${safeLine(connector.update.version)}: ${FORGE} connector update ${connector.id}`,
    connector.edited ? 'edited here' : '',
  ];
  return parts.filter((part) => part !== '').join('; ');
}
