import { registryFiles } from '../../connectors/registry-files.ts';
import { Registry } from '../../connectors/registry.ts';
import { MIGRATIONS } from '../../store/migrations.ts';
import { openSqlite } from '../../store/sqlite.ts';
import { countOf } from '../count-of.ts';
import type { Check, Patient } from './check.ts';

/** Whether the registry can be read. Only a warning when not: what is installed keeps working. */
export async function checkRegistry({ config }: Pick<Patient, 'config'>): Promise<Check> {
  const name = 'registry';
  // The registry keeps its last good list in a database; here that is thrown away again.
  const db = await openSqlite(':memory:');
  try {
    for (const step of MIGRATIONS) db.exec(step);
    const { connectors, problem, location } = await new Registry(db, registryFiles(config.registry)).list();
    if (problem !== null) return { name, status: 'warn', message: problem.message, fix: problem.hint };
    return { name, status: 'ok', message: `${countOf(connectors.length, 'connector')} at ${location}` };
  } finally {
    db.close();
  }
}
