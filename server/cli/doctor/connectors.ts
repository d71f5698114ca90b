import { existsSync } from 'node:fs';
import path from 'node:path';
import { FORGE } from '../../../shared/forge-command.ts';
import { createPackageLints } from '../../connectors/package-lints.ts';
import { Catalog, type Installed } from '../../connectors/catalog.ts';
import { MANIFEST } from '../../connectors/package-files.ts';
import type { SettingsDocument } from '../../settings/document.ts';
import { missingFields } from '../../settings/read.ts';
import { diskReason, systemCode } from '../../store/disk-errors.ts';
import { FORGE_VERSION } from '../../version.ts';
import type { Check, Patient } from './check.ts';
import { lookInto } from './database.ts';

/** Whether each connector's manifest is valid, and its required settings are filled in. */
export async function checkConnectors(patient: Patient): Promise<Check[]> {
  const { paths } = patient;
  if (!existsSync(paths.connectors)) return [{ name: 'connectors', status: 'ok', message: 'none installed' }];
  let installed: Installed[];
  try {
    installed = catalogOf(paths.connectors).list();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [
      {
        name: 'connectors',
        status: 'fail',
        message: `${paths.connectors} cannot be read: ${diskReason(error)}`,
        fix: 'Check the folder.',
      },
    ];
  }
  if (installed.length === 0) return [{ name: 'connectors', status: 'ok', message: 'none installed' }];
  const documents = await savedSettings(patient);
  return installed.map((connector) =>
    checkConnector(connector, documents === null ? null : (documents.get(connector.id) ?? {})),
  );
}

function checkConnector(
  { id, folder, package: pack, diagnostics }: Installed,
  document: SettingsDocument | null,
): Check {
  const name = `connector ${id}`;
  if (pack === null) {
    const first = diagnostics.find((diagnostic) => diagnostic.severity === 'error');
    const place = first === undefined ? '' : ` (line ${first.line}: ${first.message})`;
    return {
      name,
      status: 'fail',
      message: `its manifest is broken${place}`,
      fix: `${FORGE} connector lint ${path.join(folder, MANIFEST)}`,
    };
  }
  // Without the database nobody knows what was filled in.
  const [missing] = document === null ? [] : missingFields(pack.settings, document);
  if (missing === undefined) return { name, status: 'ok', message: pack.version };
  return {
    name,
    status: 'warn',
    message: `${missing.label} ${missing.message}`,
    fix: `${FORGE} connector settings ${id}`,
  };
}

/** Reads manifests straight from the disk: the database with its cache may be what is broken. */
function catalogOf(folder: string) {
  return new Catalog({
    folder,
    installations: { get: () => null, put: () => undefined, remove: () => undefined },
    parsed: {
      has: () => false,
      read: (_sha256, lint) => lint(),
      prune: () => undefined,
    },
    lints: createPackageLints({ forgeVersion: FORGE_VERSION }),
  });
}

async function savedSettings(patient: Patient): Promise<Map<string, SettingsDocument> | null> {
  if ((await patient.damage()) !== null) return null;
  const rows = await lookInto(patient, (db) => db.prepare('SELECT connector_id, document FROM settings').all());
  // Written by the settings module; the database checks that it is JSON.
  const entries = (rows ?? []).map(
    (row) => [String(row['connector_id']), JSON.parse(String(row['document'])) as SettingsDocument] as const,
  );
  return new Map(entries);
}
