import { capabilitiesOf, type Capabilities } from '../../shared/manifest/capabilities.ts';
import { diffCapabilities, reachesFurther, type CapabilityDiff } from '../../shared/manifest/capability-diff.ts';
import type { Database } from '../store/sqlite.ts';
import type { Installed } from './catalog.ts';

export type AcceptedReach = ReturnType<typeof createAcceptedReach>;

/** What a person has said yes to, by connector: the reach its manifest had then. Files may change later, this does not. */
export function createAcceptedReach(db: Database) {
  const select = db.prepare('SELECT reach FROM accepted_reach WHERE connector_id = ?');
  const read = (id: string): Capabilities | null => {
    const row = select.get(id);
    // Written by `accept` below, checked as JSON by the database.
    return row === undefined ? null : (JSON.parse(String(row['reach'])) as Capabilities);
  };
  return {
    accept({ id, package: pack }: Installed): void {
      if (pack === null) return;
      db.prepare('INSERT OR REPLACE INTO accepted_reach (connector_id, reach) VALUES (?, ?)').run(
        id,
        JSON.stringify(capabilitiesOf(pack)),
      );
    },
    forget(id: string): void {
      db.prepare('DELETE FROM accepted_reach WHERE connector_id = ?').run(id);
    },
    /** What the manifest on disk reaches beyond what was accepted; null when that is nothing. */
    news(installed: Installed): CapabilityDiff | null {
      const { id, package: pack, installation, edited } = installed;
      const isUntouched = installation !== null && installation.source.kind !== 'found' && !edited;
      if (pack === null || isUntouched) return null;
      const diff = diffCapabilities(read(id), capabilitiesOf(pack));
      return reachesFurther(diff) ? diff : null;
    },
  };
}
