import type { Command } from 'commander';
import type { ConnectorDetail } from '../../../../shared/api.ts';
import { FORGE } from '../../../../shared/forge-command.ts';
import type { Capabilities } from '../../../../shared/manifest/capabilities.ts';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { renderFinding } from '../../render-finding.ts';
import { printJson, safeLine, safeText, type Terminal } from '../../terminal.ts';
import { printTools } from '../tools.ts';
import { stateWord } from '../../state-word.ts';

export function addShowCommand(group: Command, cli: Cli): void {
  group
    .command('show')
    .description('one connector: its state, its tools and what it can reach')
    .argument('<id>', 'the connector')
    .option('--json', 'print it as JSON')
    .addHelpText('after', examples('forge connector show github'))
    .action(cli.action((id: string, flags: { json?: boolean }) => show(cli, id, flags.json === true)));
}

async function show(cli: Cli, id: string, asJson: boolean): Promise<ExitCode> {
  const connector = await useForge(cli, ({ api }) => api.connector(id));
  if (asJson) printJson(cli.terminal, connector);
  else {
    printFacts(cli.terminal, connector);
    printFindings(cli.terminal, connector);
    if (connector.tool_list.length > 0) {
      cli.terminal.out();
      printTools(cli.terminal, connector.tool_list);
    }
  }
  return EXIT.ok;
}

function printFacts({ out, paint }: Terminal, connector: ConnectorDetail): void {
  out(`${paint('bold', safeLine(connector.name))} (${connector.id}) ${safeLine(connector.version)}`);
  if (connector.description !== '') out(safeText(connector.description));
  out();
  const fact = (name: string, value: string) => {
    if (value !== '') out(`${name.padEnd(10)} ${value}`);
  };
  fact('state', [stateWord(connector), safeLine(connector.reason)].filter((part) => part !== '').join(': '));
  fact('author', safeLine(connector.author));
  const { kind, location } = connector.source;
  fact('from', location === undefined ? kind : `${kind} ${safeLine(location)}`);
  fact('manifest', `${connector.path}${connector.edited ? ' (edited here)' : ''}`);
  fact('changed', connector.review ? `since you accepted it: ${FORGE} connector accept ${connector.id}` : '');
  fact('update', connector.update === null ? '' : safeLine(connector.update.version));
  // Null for a broken one; otherwise the server made it with `capabilitiesOf`.
  const reach = connector.capabilities as Capabilities | null;
  if (reach === null) return;
  for (const key of ['hosts', 'sites', 'commands', 'secrets', 'flows', 'risks'] as const) {
    for (const [index, item] of reach[key].entries()) fact(index === 0 ? key : '', safeLine(item));
  }
}

/** What the linter says about the manifest as it is on disk. */
export function printFindings(terminal: Terminal, { diagnostics, path }: ConnectorDetail): void {
  for (const diagnostic of diagnostics) {
    terminal.out(renderFinding(terminal, diagnostic, `${path}:${diagnostic.line}:${diagnostic.column}`, ''));
  }
}
