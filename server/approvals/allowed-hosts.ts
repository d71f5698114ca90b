import { ForgeError } from '../../shared/errors.ts';
import type { Database } from '../store/sqlite.ts';

/** A host that calls may name because a person said so. */
export interface AllowedHost {
  host: string;
  created_at: string;
}

export type AllowedHosts = ReturnType<typeof createAllowedHosts>;

/** The hosts each connector may talk to although only an argument names them (K-61). */
export function createAllowedHosts(db: Database) {
  const find = db.prepare('SELECT 1 FROM allowed_hosts WHERE connector_id = ? AND host = ?');
  return {
    has: (connectorId: string, host: string): boolean => find.get(connectorId, normalHost(host)) !== undefined,
    add(connectorId: string, host: string, now: Date): void {
      db.prepare('INSERT OR IGNORE INTO allowed_hosts (connector_id, host, created_at) VALUES (?, ?, ?)').run(
        connectorId,
        normalHost(host),
        now.toISOString(),
      );
    },
    list(connectorId: string): AllowedHost[] {
      const rows = db
        .prepare('SELECT host, created_at FROM allowed_hosts WHERE connector_id = ? ORDER BY host')
        .all(connectorId);
      return rows.map((row) => ({ host: String(row['host']), created_at: String(row['created_at']) }));
    },
    remove(connectorId: string, host: string): void {
      const { changes } = db
        .prepare('DELETE FROM allowed_hosts WHERE connector_id = ? AND host = ?')
        .run(connectorId, normalHost(host));
      if (Number(changes) === 0) {
        throw new ForgeError('not_found', `${host} is not among the hosts that ${connectorId} may use.`);
      }
    },
    forgetConnector: (connectorId: string): void =>
      void db.prepare('DELETE FROM allowed_hosts WHERE connector_id = ?').run(connectorId),
  };
}

/** Host names mean the same in any case; the port stays part of it. */
export function normalHost(host: string): string {
  return host.toLowerCase();
}
