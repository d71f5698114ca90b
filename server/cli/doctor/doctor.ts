import { isForgeError } from '../../../shared/errors.ts';
import { dataDirPaths } from '../../store/data-dir.ts';
import type { Cli } from '../cli.ts';
import { countOf } from '../count-of.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { findServer } from '../find-server.ts';
import { printJson, safeLine, type Style, type Terminal } from '../terminal.ts';
import { failed, type Check, type Patient } from './check.ts';
import { checkConnectors } from './connectors.ts';
import { checkDataDir } from './data-dir.ts';
import { checkDatabase, databaseDamage } from './database.ts';
import { checkDiskSpace } from './disk-space.ts';
import { checkKey } from './key.ts';
import { checkNodeVersion } from './node-version.ts';
import { checkPort } from './port.ts';
import { checkRegistry } from './registry.ts';
import { checkServer } from './server.ts';
import { setAside } from './set-aside.ts';
import { checkToken } from './token.ts';

export interface DoctorFlags {
  json?: boolean;
  setAsideDatabase?: boolean;
}

const MARKS: Readonly<Record<Check['status'], { mark: string; style: Style }>> = {
  ok: { mark: '✓', style: 'green' },
  warn: { mark: '!', style: 'yellow' },
  fail: { mark: '✗', style: 'red' },
};

/** Looks at everything, one check after the other, and says what to do about what is wrong. */
export async function doctor(cli: Cli, flags: DoctorFlags): Promise<ExitCode> {
  const patient = await examine(cli);
  let aside: string | null = null;
  if (flags.setAsideDatabase === true && 'config' in patient) aside = await setAside(patient);
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
  const steps: [string, () => Check | Check[] | Promise<Check | Check[]>][] = [
    ['node', () => checkNodeVersion(patient)],
    ['data dir', () => checkDataDir(patient)],
    ['disk space', () => checkDiskSpace(patient)],
    ['token', () => checkToken(patient)],
    ['database', () => checkDatabase(patient)],
    ['server', () => checkServer(patient)],
    ['port', () => checkPort(patient)],
    ['key', () => checkKey(patient)],
    ['connectors', () => checkConnectors(patient)],
    ['registry', () => checkRegistry(patient)],
  ];
  const checks: Check[] = [];
  for (const [name, step] of steps) {
    for (const check of [await attempt(name, step)].flat()) {
      // Two checks may come upon the same problem; it is reported once.
      if (check.status === 'ok' || checks.every(({ message }) => message !== check.message)) checks.push(check);
    }
  }
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
