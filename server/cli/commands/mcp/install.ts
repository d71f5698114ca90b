import type { Command } from 'commander';
import type { McpClientAnswer } from '../../../../shared/api.ts';
import { FORGE } from '../../../../shared/forge-command.ts';
import { launchFor } from '../../../mcp/launch.ts';
import type { ForgeApi } from '../../api.ts';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { CLIENTS, type ClientKind } from '../../mcp/install/client-files.ts';
import { setTable } from '../../mcp/install/edit-toml.ts';
import { planEntry, writeEntry } from '../../mcp/install/write-entry.ts';
import { printJson, safeLine } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { describeLimits, limitsOf, type LimitFlags } from './limits.ts';

interface InstallFlags extends LimitFlags {
  name: string;
  file?: string;
  print?: boolean;
}

export function addInstallCommand(group: Command, cli: Cli): void {
  group
    .command('install')
    .description('set up a client so that it starts and finds Forge by itself')
    .argument('<client>', Object.keys(CLIENTS).join(', '))
    .option('--connectors <ids>', 'the client may use the tools of these connectors only, separated by commas')
    .option('--read-only', 'the client may use only tools that are certain to change nothing')
    .option('--name <name>', 'what Forge is called in the client', 'forge')
    .option('--file <path>', 'the client’s file, if it is not where it usually is')
    .option('--print', 'show what would be written, and change nothing')
    .addHelpText('after', EXAMPLES)
    .action(cli.action((client: string, flags: InstallFlags) => install(cli, client, flags)));
}

async function install(cli: Cli, client: string, flags: InstallFlags): Promise<ExitCode> {
  const kind = kindOf(client);
  const config = cli.config();
  const { terminal } = cli;
  const file = flags.file ?? kind.file({ platform: process.platform, home: config.home, env: config.environment });
  const entry = kind.entry(launchFor(config, client));
  if (flags.print === true) {
    terminal.note(`In ${file}:`);
    if (kind.format === 'toml') terminal.out(setTable('', kind.key, flags.name, entry).trimEnd());
    else printJson(terminal, { [kind.key]: { [flags.name]: entry } });
    return EXIT.ok;
  }
  // A file that cannot be changed is told before anything is.
  const plan = planEntry(file, kind, flags.name, entry);
  const limits = await useForge(cli, ({ api }) => nameClient(api, client, flags));
  const mayUse = `  It may use: ${describeLimits(limits)}`;
  if (plan.before === plan.after) {
    terminal.out(`${kind.title} is set up already, in ${safeLine(plan.file)}`);
    terminal.out(mayUse);
    return EXIT.ok;
  }
  const backup = writeEntry(plan);
  terminal.out(`${kind.title} is set up, in ${safeLine(plan.file)}`);
  terminal.out(mayUse);
  if (backup !== null) terminal.out(`  What was there before: ${safeLine(backup)}`);
  terminal.out(`  ${kind.next}`);
  return EXIT.ok;
}

/** The client's name and limits in Forge. Limits that were given before hold until others are. */
async function nameClient(api: ForgeApi, name: string, flags: InstallFlags): Promise<McpClientAnswer> {
  const known = (await api.mcpClients()).find((client) => client.name === name);
  const hasLimits = flags.connectors !== undefined || flags.readOnly === true;
  if (known === undefined) return (await api.addMcpClient({ name, ...limitsOf(flags) })).client;
  return hasLimits ? api.limitMcpClient(name, limitsOf(flags)) : known;
}

function kindOf(client: string): ClientKind {
  const kind = Object.hasOwn(CLIENTS, client) ? CLIENTS[client] : undefined;
  if (kind !== undefined) return kind;
  const known = Object.keys(CLIENTS).join(', ');
  throw new UsageError(
    `${JSON.stringify(client.slice(0, 60))} is not a client that can be set up: ${known}`,
    `Other clients: let them start \`${FORGE} mcp\`, or give them the address and a token (\`${FORGE} mcp token\`).`,
  );
}

const EXAMPLES = examples(
  ['forge mcp install claude-desktop', 'set up Claude Desktop'],
  ['forge mcp install cursor --connectors jira,github --read-only', 'with limits'],
  ['forge mcp install vscode --print', 'only show the lines'],
);
