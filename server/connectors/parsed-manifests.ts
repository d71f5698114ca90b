import type { ConnectorPackage } from '../../shared/manifest/connector.ts';
import type { Diagnostic } from '../../shared/manifest/diagnostic.ts';
import type { LintReport } from '../../shared/manifest/lint.ts';
import type { Database } from '../store/sqlite.ts';

export type ParsedManifests = ReturnType<typeof createParsedManifests>;

/** Lint reports by content hash. `parser` names the build, so that a new Forge reads everything afresh. */
export function createParsedManifests(db: Database, parser: string) {
  const select = db.prepare('SELECT document FROM parsed_manifests WHERE sha256 = ? AND parser = ?');
  const insert = db.prepare('INSERT OR REPLACE INTO parsed_manifests (sha256, parser, document) VALUES (?, ?, ?)');
  return {
    /** The kept report, or a fresh one that is kept from then on. */
    read(sha256: string, lint: () => LintReport): LintReport {
      const kept = select.get(sha256, parser)?.['document'];
      if (typeof kept === 'string') return revive(kept);
      const report = lint();
      insert.run(sha256, parser, JSON.stringify({ diagnostics: report.diagnostics, package: report.package }));
      return report;
    },
    /** Forgets what other builds wrote; called once at start. */
    prune(): void {
      db.prepare('DELETE FROM parsed_manifests WHERE parser <> ?').run(parser);
    },
  };
}

function revive(text: string): LintReport {
  // Written by `read` above for this very build.
  const { diagnostics, package: pack } = JSON.parse(text) as {
    diagnostics: Diagnostic[];
    package: ConnectorPackage | null;
  };
  return { diagnostics, package: pack };
}
