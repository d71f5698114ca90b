import { existsSync, statSync } from 'node:fs';
import { isForgeError } from '../../../shared/errors.ts';
import { FORGE } from '../../../shared/forge-command.ts';
import { integrityProblems } from '../../store/database.ts';
import { MIGRATIONS } from '../../store/migrations.ts';
import { openSqlite, type Database } from '../../store/sqlite.ts';
import { failed, type Check, type Patient } from './check.ts';

/** Whether the database is sound; reads only, also while Forge runs. */
export async function checkDatabase(patient: Patient): Promise<Check> {
  const name = 'database';
  try {
    const damage = await patient.damage();
    if (damage !== null) {
      const fix = `Restore a backup, or: ${FORGE} doctor --set-aside-database`;
      return { name, status: 'fail', message: `${patient.paths.database} is damaged: ${damage}`, fix };
    }
    const format = await lookInto(patient, (db) => Number(db.prepare('PRAGMA user_version').get()?.['user_version']));
    if (format === null) return { name, status: 'ok', message: 'not there yet; the first start makes it' };
    if (format <= MIGRATIONS.length) return { name, status: 'ok', message: 'sound' };
    const message = `it was written by a newer Forge (format ${format}, this one knows ${MIGRATIONS.length})`;
    return { name, status: 'fail', message, fix: 'Update Forge.' };
  } catch (error) {
    return failed(name, error);
  }
}

/** What is wrong with the file, or null. A file that cannot be opened is an error: it may well be sound. */
export async function databaseDamage(file: string): Promise<string | null> {
  if (existsSync(file) && !statSync(file).isFile()) return 'it is not a file';
  if (sizeOf(file) === 0) {
    return sizeOf(`${file}-wal`) > 0 ? 'it is empty or missing, yet there is a write-ahead log beside it' : null;
  }
  try {
    const [first, ...more] = await integrityProblems(file);
    if (first === undefined) return null;
    return more.length === 0 ? first : `${first} (and ${more.length} more)`;
  } catch (error) {
    if (isForgeError(error, 'store_corrupt')) return error.message;
    throw error;
  }
}

/** Looks into the database without changing it; null when there is none, or none that can be looked into. */
export async function lookInto<T>({ paths, damage }: Patient, look: (db: Database) => T): Promise<T | null> {
  if (sizeOf(paths.database) === 0 || (await damage()) !== null) return null;
  const db = await openSqlite(paths.database, { readOnly: true });
  try {
    return look(db);
  } finally {
    db.close();
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
