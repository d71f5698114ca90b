import type { Database } from '../store/sqlite.ts';

export type Managers = ReturnType<typeof createManagers>;

/** The paired browsers whose options page may change Forge's settings: none, until a person lets one. */
export function createManagers(db: Database) {
  const select = db.prepare('SELECT 1 FROM managing_browsers WHERE browser_id = ?');
  return {
    has: (id: string): boolean => select.get(id) !== undefined,
    /** A browser that is revoked or paired anew is no longer among them; the database sees to it. */
    set(id: string, mayManage: boolean): void {
      db.prepare(
        mayManage
          ? 'INSERT OR IGNORE INTO managing_browsers (browser_id) VALUES (?)'
          : 'DELETE FROM managing_browsers WHERE browser_id = ?',
      ).run(id);
    },
  };
}
