import { ForgeError } from '../../../shared/errors.ts';
import { FORGE } from '../../../shared/forge-command.ts';
import { setAsideDatabase } from '../../store/database.ts';
import { acquireLock } from '../../store/lock.ts';
import type { Patient } from './check.ts';
import { databaseDamage } from './database.ts';

/** Moves a damaged database out of the way, so that Forge can start with an empty one. A sound one is never touched. */
export async function setAside(
  { paths, server }: Pick<Patient, 'paths' | 'server'>,
  now: Date = new Date(),
): Promise<string> {
  if (server !== null) {
    throw new ForgeError('data_dir_busy', `Forge runs at ${server.url} and uses the database; nothing was changed`, {
      hint: 'Stop it first.',
    });
  }
  const damage = await databaseDamage(paths.database);
  if (damage === null) {
    throw new ForgeError('conflict', `the database ${paths.database} is not damaged; nothing was changed`, {
      hint: `Run \`${FORGE} doctor\` to see what else is wrong.`,
    });
  }
  const lock = await acquireLock(paths.lock);
  try {
    return setAsideDatabase(paths.database, now);
  } finally {
    lock.release();
  }
}
