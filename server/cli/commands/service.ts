import { execFile } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import { ForgeError } from '../../../shared/errors.ts';
import { FORGE } from '../../../shared/forge-command.ts';
import { PROJECT_ROOT } from '../../config.ts';
import type { Cli } from '../cli.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { launchd } from '../service/launchd.ts';
import type { ServiceJob, ServiceManager, ServiceWorld } from '../service/service.ts';
import { systemd } from '../service/systemd.ts';
import { taskScheduler } from '../service/task-scheduler.ts';

const MANAGERS: Partial<Record<NodeJS.Platform, ServiceManager>> = {
  linux: systemd,
  darwin: launchd,
  win32: taskScheduler,
};
/** What the service needs of the environment it is installed from. A key is never written into its file. */
const CARRIED = ['PATH', 'FORGE_PORT', 'FORGE_DATA_DIR', 'FORGE_REGISTRY', 'FORGE_KEY_STORE', 'FORGE_LOG'];

/** `forge service …`: Forge starts when the person logs in. */
export function addServiceCommands(program: Command, cli: Cli): void {
  const group = program
    .command('service')
    .description('start Forge whenever you log in to this computer')
    .addHelpText('after', examples('forge service install', 'forge service status', 'forge service remove'));
  group
    .command('install')
    .description('start Forge now and at every login, with the FORGE_ variables that are set now')
    .action(cli.action(() => install(cli)));
  group
    .command('remove')
    .description('stop it, and no longer start it at login')
    .action(cli.action(() => remove(cli)));
  group
    .command('status')
    .description('whether it is installed and runs')
    .action(cli.action(() => status(cli)));
}

async function install(cli: Cli): Promise<ExitCode> {
  const { environment } = cli.config();
  const manager = managerHere();
  const world = worldOf(environment);
  await manager.install(world, jobFrom(environment));
  cli.terminal.out(`Forge starts at every login: ${manager.place(world)}`);
  cli.terminal.out(`\`${FORGE} token --link\` prints a login link for its page.`);
  return EXIT.ok;
}

async function remove(cli: Cli): Promise<ExitCode> {
  await managerHere().remove(worldOf(cli.config().environment));
  cli.terminal.out('Forge no longer starts at login.');
  return EXIT.ok;
}

async function status(cli: Cli): Promise<ExitCode> {
  cli.terminal.out(await managerHere().status(worldOf(cli.config().environment)));
  return EXIT.ok;
}

function managerHere(): ServiceManager {
  const manager = MANAGERS[process.platform];
  if (manager !== undefined) return manager;
  throw new ForgeError('not_supported', `Forge cannot install a service on ${process.platform}`, {
    hint: `Have \`${FORGE} start\` run by whatever starts programs at login there.`,
  });
}

/** `forge start` of this very installation, by this very Node. */
function jobFrom(environment: Cli['io']['env'] & object): ServiceJob {
  const carried = CARRIED.flatMap((name) => {
    const value = environment[name];
    if (value === undefined || value === '') return [];
    return [[name, name === 'PATH' ? lastingPath(value) : value] as const];
  });
  const script = path.join(PROJECT_ROOT, 'server', 'launch', 'forge.mjs');
  return { argv: [process.execPath, script, 'start'], environment: Object.fromEntries(carried) };
}

/** A path without what npx adds to it: folders of packages, in every folder above this one too, where others may be able to write. */
function lastingPath(value: string): string {
  const isAdded = (folder: string) => /[\\/]node_modules[\\/](?:\.bin$|npm[\\/])/.test(folder);
  return value
    .split(path.delimiter)
    .filter((folder) => !isAdded(folder))
    .join(path.delimiter);
}

function worldOf(environment: Readonly<Record<string, string | undefined>>): ServiceWorld {
  return {
    home: environment['HOME'] ?? os.homedir(),
    uid: process.getuid?.() ?? 0,
    run: (command, args) =>
      new Promise((resolve) => {
        execFile(command, [...args], { env: environment }, (error, stdout, stderr) => {
          const output = `${stdout}${stderr}` || (error?.message ?? '');
          resolve({ code: error === null ? 0 : 1, output });
        });
      }),
  };
}
