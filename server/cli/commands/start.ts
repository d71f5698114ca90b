import type { Command } from 'commander';
import { ForgeError, isForgeError } from '../../../shared/errors.ts';
import { FORGE } from '../../../shared/forge-command.ts';
import type { Config } from '../../config.ts';
import type { Forge } from '../../main.ts';
import { FORGE_VERSION } from '../../version.ts';
import type { Cli } from '../cli.ts';
import { connectToServer } from '../client.ts';
import { loginLink } from '../login-link.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { makeExtension } from '../browser/make-extension.ts';
import type { StartedBrowser } from '../browser/start-browser.ts';
import { stateWord } from '../state-word.ts';
import { stopSignal } from '../stop-signal.ts';
import { safeLine } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

export function addStartCommand(program: Command, cli: Cli): void {
  program
    .command('start')
    .description('run Forge until it is stopped, and print the login link')
    .option('--port <number>', 'listen here instead of FORGE_PORT (8403)')
    .option('--browser', 'also start a Chromium with the extension loaded and paired')
    .option(
      '--no-extension',
      'leave the extension as it is; otherwise it is built in the background where it is missing or old',
    )
    .addHelpText('after', examples('forge start', 'forge start --port 9000', 'forge start --browser'))
    .action(cli.action((flags: StartFlags) => start(cli, flags)));
}

interface StartFlags {
  port?: string;
  browser?: boolean;
  /** False with --no-extension. */
  extension: boolean;
}

async function start(cli: Cli, flags: StartFlags): Promise<ExitCode> {
  const { port, browser: withBrowser = false, extension: withExtension } = flags;
  const config = { ...cli.config(), ...(port === undefined ? {} : { port: portNumber(port) }) };
  await refuseSecond(config);
  const stop = stopSignal(cli.io);
  try {
    const { startForge } = await import('../../main.ts');
    const forge = await startForge(config, { announce: true, log: (line) => void cli.io.stderr.write(line) });
    printBanner(cli, forge);
    const browser = withBrowser ? await openBrowser(cli, forge) : null;
    const extension = withExtension ? makeExtension(cli, forge) : null;
    await stop.requested();
    cli.terminal.out('Stopping …');
    await Promise.all([browser?.close(), extension?.close()]);
    await forge.close();
    return EXIT.ok;
  } catch (error) {
    // It may have started between the look and the lock.
    if (isForgeError(error, 'data_dir_busy')) await refuseSecond(config);
    throw error;
  } finally {
    stop.dispose();
  }
}

const NO_SCREEN = [
  '  A Chromium with the extension is starting without a window, because there is no screen (neither DISPLAY nor WAYLAND_DISPLAY is set).',
  '  Tools run in it, but you cannot log in to a site there. Log in with a window once: run this command on a desktop,',
  '  with `ssh -X`, or under a virtual screen that you reach by VNC. The profile in the data dir keeps the logins.',
].join('\n');

/** Forge goes on when the person closes the browser. */
async function openBrowser({ terminal, config }: Cli, forge: Forge): Promise<StartedBrowser> {
  const { startBrowser } = await import('../browser/start-browser.ts');
  const { DISPLAY, WAYLAND_DISPLAY } = config().environment;
  const hasScreen = process.platform !== 'linux' || Boolean(DISPLAY) || Boolean(WAYLAND_DISPLAY);
  const browser = await startBrowser(forge, { hasScreen });
  terminal.out(hasScreen ? '  A Chromium with the extension is starting.' : NO_SCREEN);
  browser.ended.then(
    () => terminal.out('  The browser was closed; Forge goes on.'),
    (error: unknown) => terminal.out(`  ${error instanceof Error ? error.message : String(error)}`),
  );
  return browser;
}

async function refuseSecond(config: Config): Promise<void> {
  const running = await connectToServer(config);
  if (running === null) return;
  throw new ForgeError('data_dir_busy', `Forge already runs on ${config.dataDir}, at ${running.url}`, {
    hint: `Open ${await loginLink(running)}`,
  });
}

/** One piece of text, so that whoever reads the login link from it has read the rest as well. */
function printBanner({ terminal }: Cli, forge: Forge): void {
  const { out, paint } = terminal;
  const { state, reason, description } = forge.services.secrets.status();
  const key = state === 'unreadable' ? paint('red', `secrets cannot be read: ${safeLine(reason ?? '')}`) : description;
  // Without the registry's offers: a registry that is slow must not hold up the start.
  const connectors = forge.connectors().map((connector) => {
    const why = connector.reason === '' ? '' : ` (${safeLine(connector.reason)})`;
    return `  ${safeLine(connector.name)} ${safeLine(connector.version)}: ${stateWord(connector)}${why}`;
  });
  if (connectors.length === 0)
    connectors.push(`  no connector installed yet: try \`${FORGE} connector install github\``);
  const lines = [
    paint('bold', `Forge ${FORGE_VERSION}`),
    '',
    `  Forge is running at ${paint('cyan', forge.url)}`,
    `  Log in:  ${paint('cyan', forge.loginLink())}`,
    `           The link works once, within ten minutes; \`${FORGE} token --link\` prints another.`,
    `  Data:    ${forge.dataDir.root}`,
    `  Key:     ${key}`,
    '',
    ...connectors,
    '',
    '  Press Ctrl-C to stop.',
  ];
  out(lines.join('\n'));
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port is ${JSON.stringify(text.slice(0, 60))}`, 'Give a port number from 0 to 65535.');
}
