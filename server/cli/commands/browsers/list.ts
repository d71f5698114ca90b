import type { Command } from 'commander';
import { FORGE } from '../../../../shared/forge-command.ts';
import type { ForgeApi } from '../../api.ts';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { listTime } from '../../format.ts';
import type { Cell } from '../../table.ts';
import { printJson, safeLine, type Terminal } from '../../terminal.ts';

type Listed = Awaited<ReturnType<ForgeApi['browsers']>>;

export function addListCommand(group: Command, cli: Cli): void {
  group
    .command('list', { isDefault: true })
    .description('the paired browsers, and those that ask to be')
    .option('--json', 'print them as JSON')
    .addHelpText('after', examples('forge browsers', 'forge browsers list --json'))
    .action(cli.action((flags: { json?: boolean }) => list(cli, flags.json === true)));
}

async function list(cli: Cli, asJson: boolean): Promise<ExitCode> {
  const listed = await useForge(cli, ({ api }) => api.browsers());
  const { terminal } = cli;
  if (asJson) printJson(terminal, listed);
  else {
    printPaired(terminal, listed.browsers);
    printPending(terminal, listed.pending);
  }
  return EXIT.ok;
}

function printPaired(terminal: Terminal, browsers: Listed['browsers']): void {
  if (browsers.length === 0) {
    terminal.out('No browser is paired. Install the Forge extension; its popup shows a code to accept here.');
    return;
  }
  terminal.table(
    [{ title: 'id' }, { title: 'state' }, { title: 'seen' }, { title: 'extension' }, { title: 'name', flexible: true }],
    browsers.map((browser) => [
      browser.id,
      stateOf(browser),
      listTime(browser.last_seen_at),
      safeLine(browser.extension_version),
      safeLine(browser.name),
    ]),
  );
}

function printPending(terminal: Terminal, pending: Listed['pending']): void {
  for (const { code, browser, platform, origin } of pending) {
    terminal.out();
    terminal.out(`${safeLine(browser)} on ${safeLine(platform)} asks to be paired, from ${safeLine(origin)}.`);
    terminal.out(
      `  If its popup shows ${terminal.paint('bold', safeLine(code))}:  ${FORGE} browsers accept ${bare(code)}`,
    );
  }
}

function stateOf({ connected, paused, user_scripts }: Listed['browsers'][number]): Cell {
  if (!connected) return { text: 'not connected', style: 'dim' };
  if (paused) return { text: 'paused', style: 'yellow' };
  return user_scripts ? { text: 'connected', style: 'green' } : { text: 'no user scripts', style: 'yellow' };
}

function bare(code: string): string {
  return code.replaceAll(/\D/g, '');
}
