import type { Command } from 'commander';
import { FORGE } from '../../../../shared/forge-command.ts';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { listTime } from '../../format.ts';
import { printJson, safeLine } from '../../terminal.ts';
import { describeLimits, limitsOf, type LimitFlags } from './limits.ts';

interface TokenFlags extends LimitFlags {
  name: string;
}

export function addTokenCommands(group: Command, cli: Cli): void {
  const token = group
    .command('token')
    .description('make a token for a client that reaches Forge over HTTP; it opens nothing but /mcp')
    .option('--name <name>', 'what the client is called in the call log', 'mcp-client')
    .option('--connectors <ids>', 'only the tools of these connectors, separated by commas')
    .option('--read-only', 'only tools that are certain to change nothing')
    .addHelpText('after', EXAMPLES)
    .action(cli.action((flags: TokenFlags) => create(cli, flags)));
  token
    .command('list')
    .description('the clients that were given a name')
    .option('--json', 'print them as JSON')
    .action(cli.action((flags: { json?: boolean }) => list(cli, flags.json === true)));
  token
    .command('revoke')
    .description('take a client back: its token and its sessions end at once')
    .argument('<name>', 'the client')
    .action(cli.action((name: string) => revoke(cli, name)));
}

async function create(cli: Cli, { name, ...limits }: TokenFlags): Promise<ExitCode> {
  const { terminal } = cli;
  const { client, token, url } = await useForge(cli, async ({ api, url: at }) => ({
    ...(await api.addMcpClient({ name, ...limitsOf(limits) })),
    url: at,
  }));
  terminal.out(token);
  terminal.note(`For ${safeLine(client.name)} (${describeLimits(client)}). It is not shown again.`);
  terminal.note(`The client sends it to ${url}/mcp as Authorization: Bearer <token>.`);
  return EXIT.ok;
}

async function list(cli: Cli, asJson: boolean): Promise<ExitCode> {
  const { terminal } = cli;
  const clients = await useForge(cli, ({ api }) => api.mcpClients());
  if (asJson) printJson(terminal, clients);
  else if (clients.length === 0)
    terminal.out(
      `No client has a name yet. \`${FORGE} mcp install\` sets one up, \`${FORGE} mcp token\` makes a token.`,
    );
  else {
    terminal.table(
      [{ title: 'name' }, { title: 'made' }, { title: 'used' }, { title: 'may use', flexible: true }],
      clients.map((client) => [
        safeLine(client.name),
        listTime(client.created_at),
        client.last_used_at === null ? 'never' : listTime(client.last_used_at),
        describeLimits(client),
      ]),
    );
  }
  return EXIT.ok;
}

async function revoke(cli: Cli, name: string): Promise<ExitCode> {
  await useForge(cli, ({ api }) => api.revokeMcpClient(name));
  cli.terminal.out(`${safeLine(name)} can no longer use Forge`);
  return EXIT.ok;
}

const EXAMPLES = examples(
  ['forge mcp token --name cursor', 'a token for one client'],
  ['forge mcp token --name nightly --connectors jira,github --read-only', 'one that can do less'],
  'forge mcp token list',
  'forge mcp token revoke nightly',
);
