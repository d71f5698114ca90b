import { existsSync, lstatSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { ForgeError } from '../../shared/errors.ts';
import { MANIFEST, PACKAGE_LIMITS, readPackageFolder, type PackageFiles } from '../connectors/package-files.ts';
import { readZip } from '../connectors/read-zip.ts';
import { requestedScripts } from '../connectors/requested-scripts.ts';
import { diskReason } from '../store/disk-errors.ts';

/** A connector on this computer, before it is installed. */
export interface ConnectorSource {
  /** The manifest's name in messages. */
  label: string;
  files: PackageFiles;
  /** False for a manifest alone: installing it leaves the other files of an installed connector as they are. */
  isWhole: boolean;
  /** Entries of a zip that are not part of a connector. */
  ignored: string[];
}

/** Reads a manifest, a zip or a folder; whatever cannot be read is an error that names it. */
export async function readSource(place: string): Promise<ConnectorSource> {
  const stats = attempt(place, () => statSync(place));
  if (stats.isDirectory()) return readFolder(place);
  if (stats.isFile() && stats.size > PACKAGE_LIMITS.bytes)
    throw unreadable(place, 'it is larger than a connector may be');
  const source = await readBytes(
    attempt(place, () => readFileSync(place)),
    place,
  );
  return source.isWhole ? source : withScriptsBeside(source, path.dirname(place), path.basename(place) === MANIFEST);
}

/** The same for bytes that came through a pipe. */
export async function readBytes(bytes: Uint8Array, label: string): Promise<ConnectorSource> {
  if (isZip(bytes)) return { label, isWhole: true, ...(await readZip(bytes)) };
  return { label, isWhole: false, files: new Map([[MANIFEST, bytes]]), ignored: [] };
}

/** A manifest whose scripts lie beside it is a connector in its folder, even when only the manifest was named. */
function withScriptsBeside(source: ConnectorSource, folder: string, isFolder: boolean): ConnectorSource {
  const files = new Map(source.files);
  for (const name of requestedScripts(new TextDecoder().decode(files.get(MANIFEST))).scripts) {
    const script = readBeside(path.join(folder, name));
    if (script !== null) files.set(name, script);
  }
  if (files.size === 1) return source;
  return isFolder ? { ...readFolder(folder), label: source.label } : { ...source, files, isWhole: true };
}

/** The connectors a path stands for: itself or, when it is a folder of connectors, those right below it. */
export function connectorsAt(place: string): string[] {
  if (existsSync(path.join(place, MANIFEST))) return [place];
  const below = folderNames(place)
    .map((name) => path.join(place, name))
    .filter((folder) => existsSync(path.join(folder, MANIFEST)));
  return below.length === 0 ? [place] : below;
}

function folderNames(place: string): string[] {
  try {
    const entries = readdirSync(place, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return entries.map((entry) => entry.name).sort();
  } catch {
    // A file, or something unreadable: `readSource` reads it, or tells why it cannot.
    return [];
  }
}

function readFolder(folder: string): ConnectorSource {
  const label = path.join(folder, MANIFEST);
  const files = attempt(folder, () => readPackageFolder(folder));
  if (files.has(MANIFEST)) return { label, files, isWhole: true, ignored: [] };
  const isMisnamed = existsSync(path.join(folder, 'manifest.yml'));
  throw unreadable(label, 'there is no such file', isMisnamed ? 'Rename manifest.yml to manifest.yaml.' : undefined);
}

/** Links are not followed, as in a folder: a manifest cannot pull in files from elsewhere. */
function readBeside(file: string): Uint8Array | null {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true ? attempt(file, () => readFileSync(file)) : null;
}

function isZip(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 2)).toString('latin1') === 'PK';
}

function attempt<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ForgeError) throw error;
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw unreadable(place, isMissing ? 'there is no such file' : diskReason(error), undefined, error);
  }
}

function unreadable(place: string, reason: string, hint = 'Check the path.', cause?: unknown): ForgeError {
  return new ForgeError('invalid_package', `${place} cannot be read: ${reason}`, { hint, cause });
}
