import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { openDatabase } from '../../store/database.ts';
import type { FileOps } from '../../store/file-ops.ts';
import type { Database } from '../../store/sqlite.ts';
import { tempFolder } from '../../testing/forge.ts';
import { Catalog } from '../catalog.ts';
import { createInstallations } from '../installation.ts';
import { createPackageLints } from '../package-lints.ts';
import { Installer } from '../installer.ts';
import { createAcceptedDefinitions } from '../accepted-definitions.ts';
import { createParsedManifests } from '../parsed-manifests.ts';
import { createConnectorHealth } from '../connector-health.ts';
import { createToolModes } from '../tool-modes.ts';

const KEY = Buffer.alloc(32, 7);

/** An installer and its catalogue over a real folder and database; `parts` is what the next start would make of them. */
export async function openInstaller(root = tempFolder()) {
  const folder = path.join(root, 'connectors');
  mkdirSync(folder, { recursive: true });
  const db = await openDatabase(path.join(root, 'forge.db'));
  const removed: string[] = [];
  const parts = (ops?: FileOps) => wireInstaller(db, folder, removed, ops);
  return { root, folder, db, removed, parts, ...parts() };
}

/** The same over what is there already; the ids whose settings were removed go into `removed`. */
export function wireInstaller(db: Database, folder: string, removed: string[] = [], ops?: FileOps) {
  const installations = createInstallations(db);
  const lints = createPackageLints({ forgeVersion: '1.0.0' });
  const catalog = new Catalog({
    folder,
    installations,
    parsed: createParsedManifests(db, { parser: 'test', key: KEY }),
    lints,
  });
  const accepted = createAcceptedDefinitions(db, 'test');
  const toolModes = createToolModes(db);
  const installer = new Installer({
    db,
    folder,
    catalog,
    installations,
    accepted,
    settings: { remove: (id) => void removed.push(id) },
    toolModes,
    health: createConnectorHealth(db, { onProblem: () => undefined }),
    forgeVersion: '1.0.0',
    lints,
    now: () => new Date('2026-01-02T03:04:05Z'),
    ...(ops === undefined ? {} : { ops }),
  });
  return { catalog, installer, installations, accepted, toolModes };
}

/** The files of a connector: its manifest, and more by name. */
export function packageFiles(yaml: string, more: Record<string, string> = {}): Map<string, Buffer> {
  return new Map(Object.entries({ 'manifest.yaml': yaml, ...more }).map(([name, text]) => [name, Buffer.from(text)]));
}
