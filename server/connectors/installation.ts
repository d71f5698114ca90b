import type { Database, Row } from '../store/sqlite.ts';

/** Where an installed connector came from. */
export type Source =
  | { kind: 'yaml' }
  | { kind: 'zip' }
  | { kind: 'folder'; location: string }
  | { kind: 'registry'; location: string }
  | { kind: 'edited' }
  | { kind: 'found' };

/** What is remembered about an install besides the files themselves. */
export interface Installation {
  version: string;
  source: Source;
  /** Hash of the files as they were installed. */
  sha256: string;
  enabled: boolean;
  installed_at: string;
  updated_at: string;
}

export type Installations = ReturnType<typeof createInstallations>;

/** The database side of installed connectors. */
export function createInstallations(db: Database) {
  const select = db.prepare('SELECT * FROM installations WHERE connector_id = ?');
  const upsert = db.prepare(
    `INSERT INTO installations (connector_id, version, source, sha256, enabled, installed_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (connector_id) DO UPDATE SET version = excluded.version, source = excluded.source, sha256 = excluded.sha256,
       enabled = excluded.enabled, updated_at = excluded.updated_at`,
  );
  // One process owns the database, so what was read once stays true until it is changed here.
  const kept = new Map<string, Installation | null>();
  return {
    get(id: string): Installation | null {
      const known = kept.get(id);
      if (known !== undefined) return known;
      const row = select.get(id);
      const found = row === undefined ? null : fromRow(row);
      kept.set(id, found);
      return found;
    },
    put(id: string, entry: Installation): void {
      kept.delete(id);
      upsert.run(
        id,
        entry.version,
        JSON.stringify(entry.source),
        entry.sha256,
        entry.enabled ? 1 : 0,
        entry.installed_at,
        entry.updated_at,
      );
    },
    remove(id: string): void {
      kept.delete(id);
      db.prepare('DELETE FROM installations WHERE connector_id = ?').run(id);
    },
  };
}

function fromRow(row: Row): Installation {
  return {
    version: String(row['version']),
    // Written by `put` above, checked as JSON by the database.
    source: JSON.parse(String(row['source'])) as Source,
    sha256: String(row['sha256']),
    enabled: row['enabled'] === 1,
    installed_at: String(row['installed_at']),
    updated_at: String(row['updated_at']),
  };
}
