import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { RegistryEntry } from '../server/connectors/registry.ts';
import { MANIFEST, readPackageFolder } from '../server/connectors/package-files.ts';
import { lintPackage, requirePackage } from '../server/connectors/read-package.ts';
import { FORGE_VERSION } from '../server/version.ts';
import { isRecord } from '../shared/json.ts';

/** Every connector below a folder, by id. A manifest that is not valid, or lies in the wrong folder, is an error. */
export function readOffers(folder: string): RegistryEntry[] {
  return readdirSync(folder)
    .filter((name) => existsSync(path.join(folder, name, MANIFEST)))
    .map((name) => readOffer(folder, name))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function readOffer(folder: string, name: string): RegistryEntry {
  try {
    const { pack } = requirePackage(lintPackage(readPackageFolder(path.join(folder, name)), FORGE_VERSION));
    if (pack.id !== name) throw new Error(`the manifest's id is ${pack.id}`);
    const { id, icon, version, author, description, min_forge_version } = pack;
    return { id, name: pack.name, icon, version, author, description, min_forge_version };
  } catch (error) {
    throw new Error(`${path.join(folder, name)}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** The registry's text. Its date moves only when something else does, so that making it again changes nothing. */
export function registryText(connectors: readonly RegistryEntry[], before: string | null, today: string): string {
  const existing: unknown = before === null ? null : JSON.parse(before);
  const isSame = isRecord(existing) && JSON.stringify(existing['connectors']) === JSON.stringify(connectors);
  const updated_at = isSame && typeof existing['updated_at'] === 'string' ? existing['updated_at'] : today;
  return `${JSON.stringify({ version: 1, updated_at, connectors }, null, 2)}\n`;
}
