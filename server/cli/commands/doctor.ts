import type { Command } from 'commander';
import { isForgeError } from '../../../shared/errors.ts';
import type { Cli } from '../cli.ts';
import { countOf } from '../count-of.ts';
import type { Check, Patient } from '../doctor/check.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson, safeLine, type Style, type Terminal } from '../terminal.ts';

interface DoctorFlags {
  json?: boolean;
  setAsideDatabase?: boolean;
}

const MARKS: Readonly<Record<Check['status'], { mark: string; style: Style }>> = {
  ok: { mark: '✓', style: 'green' },
  warn: { mark: '!', style: 'yellow' },
  fail: { mark: '✗', style: 'red' },
};

export function addDoctorCommand(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description('find out what is wrong; changes nothing unless asked to')
    .option('--json', 'print the findings as JSON')
    .option('--set-aside-database', 'move a damaged database out of the way (it is kept) and start with an empty one')
    .addHelpText('after', examples('forge doctor', 'forge doctor --set-aside-database'))
    .action(cli.action((flags: DoctorFlags) => doctor(cli, flags)));
}

async function doctor(cli: Cli, flags: DoctorFlags): Promise<ExitCode> {
  const patient = await examine(cli);
  let aside: string | null = null;
  if (flags.setAsideDatabase === true && 'config' in patient) {
    const { setAside } = await import('../doctor/set-aside.ts');
    aside = await setAside(patient);
  }
  const checks = 'config' in patient ? await runChecks(patient) : [patient];
  const isWell = checks.every((check) => check.status !== 'fail');
  if (flags.json === true)
    printJson(cli.terminal, { ok: isWell, ...(aside === null ? {} : { set_aside: aside }), checks });
  else {
    if (aside !== null)
      cli.terminal.out(`The damaged database is now ${aside}. Settings that were saved in it are not in use.`);
    print(cli.terminal, checks);
  }
  return isWell ? EXIT.ok : EXIT.failed;
}

/** What the checks look at; a configuration that makes no sense is itself the finding. */
async function examine(cli: Cli): Promise<Patient | Check> {
  const { failed } = await import('../doctor/check.ts');
  const { databaseDamage } = await import('../doctor/database.ts');
  const { findServer } = await import('../find-server.ts');
  const { dataDirPaths } = await import('../../store/data-dir.ts');
  try {
    const config = cli.config();
    const paths = dataDirPaths(config.dataDir);
    let damage: Promise<string | null> | null = null;
    return {
      config,
      paths,
      server: await findServer(config.dataDir),
      nodeVersion: process.versions.node,
      damage: () => (damage ??= databaseDamage(paths.database)),
    };
  } catch (error) {
    return failed('configuration', error);
  }
}

async function runChecks(patient: Patient): Promise<Check[]> {
  const [node, dataDir, disk, token, database, server, port, key, connectors, registry] = await Promise.all([
    import('../doctor/node-version.ts'),
    import('../doctor/data-dir.ts'),
    import('../doctor/disk-space.ts'),
    import('../doctor/token.ts'),
    import('../doctor/database.ts'),
    import('../doctor/server.ts'),
    import('../doctor/port.ts'),
    import('../doctor/key.ts'),
    import('../doctor/connectors.ts'),
    import('../doctor/registry.ts'),
  ]);
  const steps: [string, () => Check | Check[] | Promise<Check | Check[]>][] = [
    ['node', () => node.checkNodeVersion(patient)],
    ['data dir', () => dataDir.checkDataDir(patient)],
    ['disk space', () => disk.checkDiskSpace(patient)],
    ['token', () => token.checkToken(patient)],
    ['database', () => database.checkDatabase(patient)],
    ['server', () => server.checkServer(patient)],
    ['port', () => port.checkPort(patient)],
    ['key', () => key.checkKey(patient)],
    ['connectors', () => connectors.checkConnectors(patient)],
    ['registry', () => registry.checkRegistry(patient)],
  ];
  const checks: Check[] = [];
  for (const [name, step] of steps) checks.push(...[await attempt(name, step)].flat());
  return checks;
}

/** A check that breaks is a finding too: the doctor must work when nothing else does. */
async function attempt(name: string, step: () => Check | Check[] | Promise<Check | Check[]>): Promise<Check | Check[]> {
  try {
    return await step();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      name,
      status: 'fail',
      message: `could not be checked: ${message}`,
      ...(isForgeError(error) ? { fix: error.hint } : {}),
    };
  }
}

function print({ out, paint }: Terminal, checks: readonly Check[]): void {
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, status, message, fix } of checks) {
    const { mark, style } = MARKS[status];
    out(`${paint(style, mark)} ${name.padEnd(width)}  ${safeLine(message)}`);
    if (fix !== undefined) out(`  ${' '.repeat(width)}  ${paint('cyan', '→')} ${safeLine(fix)}`);
  }
  const count = (status: Check['status']) => checks.filter((check) => check.status === status).length;
  const troubles = [
    count('fail') > 0 ? countOf(count('fail'), 'problem') : '',
    count('warn') > 0 ? countOf(count('warn'), 'warning') : '',
  ];
  out();
  out(troubles.filter((part) => part !== '').join(', ') || 'All is well.');
}
