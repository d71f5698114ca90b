import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { ForgeError } from '../../shared/errors.ts';

export const MANIFEST = 'manifest.yaml';

/** The files of a connector by their path inside it. */
export type PackageFiles = ReadonlyMap<string, Uint8Array>;

const KEPT = /^(manifest\.yaml|README\.md|icon\.svg|tools\/[A-Za-z0-9_][A-Za-z0-9._-]*\.js)$/;

/** True for the files a connector consists of; everything else in a zip or folder is left behind. */
export function isPackageFile(name: string): boolean {
  return KEPT.test(name);
}

export const PACKAGE_LIMITS = { files: 200, bytes: 20 * 1024 * 1024 } as const;

/** Reads a connector's folder. Links are not followed, so a folder cannot pull in files from elsewhere. */
export function readPackageFolder(folder: string): PackageFiles {
  const files = new Map<string, Uint8Array>();
  let bytes = 0;
  for (const name of [...fileNames(folder, ''), ...fileNames(folder, 'tools/')].filter(isPackageFile)) {
    const file = path.join(folder, name);
    bytes += statSync(file).size;
    if (files.size >= PACKAGE_LIMITS.files || bytes > PACKAGE_LIMITS.bytes) {
      throw new ForgeError('invalid_package', `${folder} is larger than a connector may be`);
    }
    files.set(name, readFileSync(file));
  }
  return files;
}

function fileNames(folder: string, below: '' | 'tools/'): string[] {
  try {
    return readdirSync(path.join(folder, below), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => below + entry.name)
      .sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return [];
    throw error;
  }
}

/** One hash for a set of files: what `sha256sum` prints for each, in order of their names, hashed once more. */
export function contentHash(files: PackageFiles): string {
  const lines = [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}
