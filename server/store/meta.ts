import type { Database } from './sqlite.ts';

/** Facts about the data dir itself, one text each. */
export function getMeta(db: Database, key: string): string | null {
  const value = db.prepare('SELECT value FROM meta WHERE key = ?').get(key)?.['value'];
  return typeof value === 'string' ? value : null;
}

/** Writes one fact; null removes it. */
export function setMeta(db: Database, key: string, value: string | null): void {
  if (value === null) db.prepare('DELETE FROM meta WHERE key = ?').run(key);
  else db.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(key, value);
}
