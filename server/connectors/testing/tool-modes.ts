import { MIGRATIONS } from '../../store/migrations.ts';
import { openSqlite } from '../../store/sqlite.ts';
import { createToolModes, type ToolModes } from '../tool-modes.ts';

/** Modes in a database of their own, in memory; nobody has decided anything yet. */
export async function openToolModes(): Promise<ToolModes> {
  const db = await openSqlite(':memory:');
  for (const step of MIGRATIONS) db.exec(step);
  return createToolModes(db);
}
