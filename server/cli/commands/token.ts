import type { Command } from 'commander';
import { ForgeError } from '../../../shared/errors.ts';
import { FORGE } from '../../../shared/forge-command.ts';
import { readToken } from '../../http/access.ts';
import { dataDirPaths } from '../../store/data-dir.ts';
import { useForge, type Cli } from '../cli.ts';
import { connectToServer } from '../client.ts';
import { examples } from '../examples.ts';
import { loginLink } from '../login-link.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';

interface TokenFlags {
  print?: boolean;
  link?: boolean;
  rotate?: boolean;
}

export function addTokenCommand(program: Command, cli: Cli): void {
  program
    .command('token')
    .description('the token that opens Forge, for programs that call the API; and login links for the page')
    .option('--print', 'print the token')
    .option('--link', 'print a new login link of the running Forge; it works once, within ten minutes')
    .option('--rotate', 'replace the token; every page and program has to log in again')
    .addHelpText('after', EXAMPLES)
    .action(cli.action((flags: TokenFlags) => token(cli, flags)));
}

async function token(cli: Cli, flags: TokenFlags): Promise<ExitCode> {
  const { terminal } = cli;
  if (flags.link === true) await requireServer(cli);
  if (flags.rotate === true) {
    await useForge(cli, ({ api }) => api.rotateToken());
    terminal.err('The token was replaced. Open pages and programs have to log in again.');
  }
  if (flags.print === true)
    terminal.out(readToken(tokenFile(cli)) ?? (await useForge(cli, (forge) => Promise.resolve(forge.token))));
  if (flags.link === true) {
    terminal.out(await loginLink(await requireServer(cli)));
  }
  if (flags.print !== true && flags.link !== true && flags.rotate !== true) explain(cli);
  return EXIT.ok;
}

async function requireServer(cli: Cli) {
  const server = await connectToServer(cli.config());
  if (server !== null) return server;
  throw new ForgeError('shutting_down', `no Forge is running on ${cli.config().dataDir}`, {
    hint: 'Start it with `npm start`; it prints the login link.',
  });
}

function explain(cli: Cli): void {
  const { terminal } = cli;
  const file = tokenFile(cli);
  const exists = readToken(file) !== null;
  terminal.out(
    exists ? `There is a token, in ${file}.` : `There is no token yet; the first start of Forge makes one in ${file}.`,
  );
  terminal.out('Whoever has it can use Forge and everything it is connected to. Programs send it as X-Forge-Token.');
  terminal.out(`  ${FORGE} token --print    print it`);
  terminal.out(`  ${FORGE} token --link     print a new login link for the page`);
  terminal.out(`  ${FORGE} token --rotate   replace it`);
}

function tokenFile(cli: Cli): string {
  return dataDirPaths(cli.config().dataDir).token;
}

const EXAMPLES = examples(
  'forge token --link',
  'curl -H "X-Forge-Token: $(forge token --print)" http://127.0.0.1:8403/api/tools',
);
