import { existsSync } from 'node:fs';
import { isForgeError } from '../../../shared/errors.ts';
import { acquireLock } from '../../store/lock.ts';
import { FORGE_VERSION } from '../../version.ts';
import { failed, type Check, type Patient } from './check.ts';

/** Whether a Forge runs on this data dir, answers, and is the one that is installed. */
export async function checkServer({ paths, server }: Patient): Promise<Check> {
  const name = 'server';
  if (server !== null) {
    const message = `Forge ${server.version} runs at ${server.url}`;
    if (server.problems.length > 0)
      return {
        name,
        status: 'fail',
        message: `${message}, with a problem: ${server.problems.join(' ')}`,
        fix: 'Free some space or check the disk, and see the lines about the key; it recovers by itself.',
      };
    if (server.version === FORGE_VERSION) return { name, status: 'ok', message };
    return {
      name,
      status: 'warn',
      message: `${message}, but ${FORGE_VERSION} is installed`,
      fix: 'Stop it and start it again: npm start',
    };
  }
  try {
    if (!(await isLocked(paths.lock))) return { name, status: 'ok', message: 'not running; start it with `npm start`' };
    return {
      name,
      status: 'fail',
      message: 'another Forge process holds this data dir, but does not answer',
      fix: 'A command may be running. If it stays so, end that process.',
    };
  } catch (error) {
    return failed(name, error);
  }
}

/** True when a process owns the data dir. */
async function isLocked(file: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  try {
    (await acquireLock(file)).release();
    return false;
  } catch (error) {
    if (isForgeError(error, 'data_dir_busy')) return true;
    throw error;
  }
}
