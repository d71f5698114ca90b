import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ConnectorPackage } from '../../shared/manifest/connector.ts';
import type { Diagnostic } from '../../shared/manifest/diagnostic.ts';
import type { LintReport } from '../../shared/manifest/lint.ts';
import type { Database } from '../store/sqlite.ts';

export type ParsedManifests = ReturnType<typeof createParsedManifests>;

interface Options {
  /** Names the build, so that a new Forge reads everything afresh. */
  parser: string;
  /** Kept outside the database: whoever writes into that cannot say what a manifest means. */
  key: Uint8Array;
}

/** Lint reports by content hash. A row that this Forge did not write, or that is no longer as it was written, is thrown away. */
export function createParsedManifests(db: Database, { parser, key }: Options) {
  const select = db.prepare('SELECT document, mac FROM parsed_manifests WHERE sha256 = ? AND parser = ?');
  const insert = db.prepare(
    'INSERT OR REPLACE INTO parsed_manifests (sha256, parser, document, mac) VALUES (?, ?, ?, ?)',
  );
  const macOf = (sha256: string, document: string): Buffer =>
    createHmac('sha256', key).update(`${sha256}\n${parser}\n${document}`).digest();
  const read = (sha256: string): string | null => {
    const row = select.get(sha256, parser);
    if (row === undefined) return null;
    const [document, mac] = [String(row['document']), Buffer.from(String(row['mac']), 'base64url')];
    const wanted = macOf(sha256, document);
    return mac.length === wanted.length && timingSafeEqual(mac, wanted) ? document : null;
  };
  return {
    /** The kept report, or a fresh one that is kept from then on. */
    read(sha256: string, lint: () => LintReport): LintReport {
      const kept = read(sha256);
      if (kept !== null) return revive(kept);
      const report = lint();
      const document = JSON.stringify({ diagnostics: report.diagnostics, package: report.package });
      insert.run(sha256, parser, document, macOf(sha256, document).toString('base64url'));
      return report;
    },
    /** Whether `read` would find a report. */
    has: (sha256: string): boolean => read(sha256) !== null,
    /** Forgets what other builds wrote; called once at start. */
    prune(): void {
      db.prepare('DELETE FROM parsed_manifests WHERE parser <> ?').run(parser);
    },
  };
}

function revive(text: string): LintReport {
  // Written by `read` above for this very build, as its mark proves.
  const { diagnostics, package: pack } = JSON.parse(text) as {
    diagnostics: Diagnostic[];
    package: ConnectorPackage | null;
  };
  return { diagnostics, package: pack };
}
