import type { Command } from 'commander';
import type { MarketplaceAnswer } from '../../../shared/api.ts';
import { useForge, type Cli } from '../cli.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { matchesSearch } from '../matches-search.ts';
import type { Cell } from '../table.ts';
import { printJson, safeLine } from '../terminal.ts';

interface MarketplaceFlags {
  refresh?: boolean;
  json?: boolean;
}

type Offer = MarketplaceAnswer['connectors'][number];

export function addMarketplaceCommand(program: Command, cli: Cli): void {
  program
    .command('marketplace')
    .description('the connectors that can be installed')
    .argument('[search]', 'only those with these words in their id, name or description')
    .option('--refresh', 'read the registry again')
    .option('--json', 'print them as JSON')
    .addHelpText('after', examples('forge marketplace', 'forge marketplace issue --refresh'))
    .action(cli.action((search: string | undefined, flags: MarketplaceFlags) => marketplace(cli, search, flags)));
}

async function marketplace(cli: Cli, search: string | undefined, flags: MarketplaceFlags): Promise<ExitCode> {
  const answer = await useForge(cli, ({ api }) => api.marketplace(flags.refresh === true));
  const found = answer.connectors.filter(({ id, name, description }) => matchesSearch(search, [id, name, description]));
  const { terminal } = cli;
  if (flags.json === true) {
    printJson(terminal, { ...answer, connectors: found });
    return EXIT.ok;
  }
  if (answer.problem !== null) {
    const since =
      answer.fetched_at === null ? '' : `; this is the list of ${answer.fetched_at.slice(0, 16).replace('T', ' ')} UTC`;
    terminal.warn(`warning: ${answer.problem.message}${since}`);
    terminal.err(`  ${safeLine(answer.problem.hint)}`);
  }
  if (found.length === 0)
    terminal.out(answer.connectors.length === 0 ? 'The registry has no connectors.' : 'No connector matches.');
  else {
    terminal.table(
      [{ title: 'id' }, { title: 'version' }, { title: 'installed' }, { title: 'description', flexible: true }],
      found.map((offer) => [offer.id, safeLine(offer.version), installedMark(offer), safeLine(offer.description)]),
    );
  }
  return EXIT.ok;
}

function installedMark({ installed_version, update_available }: Offer): Cell {
  if (installed_version === null) return '';
  return update_available
    ? { text: `${installed_version} (update)`, style: 'yellow' }
    : { text: installed_version, style: 'green' };
}
