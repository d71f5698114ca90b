import type { Command } from 'commander';
import { FORGE } from '../../../shared/forge-command.ts';
import { useForge, type Cli } from '../cli.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { listTime } from '../format.ts';
import { printJson, safeLine } from '../terminal.ts';

/** `forge sessions …`: the pages that somebody is signed in to. */
export function addSessionsCommands(program: Command, cli: Cli): void {
  const group = program
    .command('sessions')
    .description('the pages that are signed in to Forge; without a further word, the list of them')
    .addHelpText('after', examples('forge sessions', 'forge sessions revoke page_0123456789abcdef'));
  group
    .command('list', { isDefault: true })
    .description('the pages that are signed in')
    .option('--json', 'print them as JSON')
    .addHelpText('after', examples('forge sessions', 'forge sessions list --json'))
    .action(cli.action((flags: { json?: boolean }) => list(cli, flags.json === true)));
  group
    .command('revoke <id>')
    .description('sign a page out; what it listens to ends at once')
    .addHelpText('after', examples('forge sessions revoke page_0123456789abcdef'))
    .action(cli.action((id: string) => revoke(cli, id)));
}

async function list(cli: Cli, asJson: boolean): Promise<ExitCode> {
  const sessions = await useForge(cli, ({ api }) => api.pageSessions());
  const { terminal } = cli;
  if (asJson) printJson(terminal, { sessions });
  else if (sessions.length === 0) terminal.out(`No page is signed in. \`${FORGE} token --link\` prints a login link.`);
  else
    terminal.table(
      [{ title: 'id' }, { title: 'since' }, { title: 'last used' }, { title: 'browser', flexible: true }],
      sessions.map(({ id, created_at: since, last_used_at: used, user_agent: browser }) => [
        id,
        listTime(since),
        listTime(used),
        safeLine(browser),
      ]),
    );
  return EXIT.ok;
}

async function revoke(cli: Cli, id: string): Promise<ExitCode> {
  await useForge(cli, ({ api }) => api.endPageSession(id));
  cli.terminal.out(`${id} is signed out`);
  return EXIT.ok;
}
