import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { ForgeError } from '../../shared/errors.ts';
import { diskWriteFailed, systemCode } from './disk-errors.ts';
import { nodeFileOps, type FileOps } from './file-ops.ts';

interface WriteOptions {
  mode?: number;
  ops?: FileOps;
}

const TEMP_NAME = /^\..+\.[0-9a-f]{12}\.tmp$/;

const UNCONFIRMED =
  'The change was made, but the disk did not confirm that it would survive a power cut. Check the disk.';

/** Replaces a file so that a crash at any moment leaves either the old content or the new one. */
export function writeFileDurably(file: string, bytes: Uint8Array, options: WriteOptions = {}): void {
  const { mode = 0o600, ops = nodeFileOps } = options;
  const folder = path.dirname(file);
  const temp = path.join(folder, `.${path.basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeNewFile(temp, bytes, mode, ops);
    ops.renameSync(temp, file);
  } catch (error) {
    removeQuietly(temp, ops);
    throw diskWriteFailed(`${file} could not be written`, error);
  }
  confirmFolder(folder, file, ops);
}

/** Makes a new folder with these files, all of it on the disk when this returns; after a failure nothing of it is left. */
export function writeFolderDurably(
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
  options: WriteOptions = {},
): void {
  const { mode = 0o600, ops = nodeFileOps } = options;
  const folders = foldersOf(folder, files.keys());
  try {
    ops.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    throw diskWriteFailed(`${folder} could not be made`, error);
  }
  try {
    for (const subfolder of folders.slice(1)) ops.mkdirSync(subfolder, { mode: 0o700 });
    for (const [name, bytes] of files) writeNewFile(path.join(folder, name), bytes, mode, ops);
    for (const written of folders.toReversed()) syncFolder(written, ops);
    syncFolder(path.dirname(folder), ops);
  } catch (error) {
    removeQuietly(folder, ops);
    throw diskWriteFailed(`${folder} could not be written`, error);
  }
}

/** Renames a file or folder, and has the disk confirm it on both sides. */
export function moveDurably(from: string, to: string, ops: FileOps = nodeFileOps): void {
  try {
    ops.renameSync(from, to);
  } catch (error) {
    throw diskWriteFailed(`${from} could not be moved to ${to}`, error);
  }
  confirmFolder(path.dirname(to), to, ops);
  if (path.dirname(from) !== path.dirname(to)) confirmFolder(path.dirname(from), from, ops);
}

/** Removes a folder with all it holds; one that is not there is fine. */
export function removeFolder(folder: string, ops: FileOps = nodeFileOps): void {
  try {
    ops.rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    throw diskWriteFailed(`${folder} could not be removed completely`, error, 'Remove the folder by hand.');
  }
  confirmFolder(path.dirname(folder), folder, ops);
}

/**
 * Removes the temporary files that a killed process left in a folder, and returns their names.
 * Only for the process that holds the lock: another one's unfinished writes look the same.
 */
export function removeLeftovers(folder: string, ops: FileOps = nodeFileOps): string[] {
  const leftovers = readdirSync(folder).filter((name) => TEMP_NAME.test(name));
  for (const name of leftovers) {
    try {
      ops.rmSync(path.join(folder, name), { force: true });
    } catch (error) {
      throw diskWriteFailed(`${path.join(folder, name)} could not be removed`, error, 'Remove the file by hand.');
    }
  }
  return leftovers;
}

function writeNewFile(file: string, bytes: Uint8Array, mode: number, ops: FileOps): void {
  const fd = ops.openSync(file, 'wx', mode);
  let isOpen = true;
  try {
    let offset = 0;
    // The system may take less than it was given, most often when the disk is nearly full.
    while (offset < bytes.length) offset += ops.writeSync(fd, bytes, offset, bytes.length - offset);
    ops.fsyncSync(fd);
    isOpen = false;
    ops.closeSync(fd);
  } finally {
    if (isOpen) closeQuietly(fd, ops);
  }
}

/** Every folder that has to be made, parents first; refuses names that would leave the folder. */
function foldersOf(folder: string, names: Iterable<string>): string[] {
  const folders = new Set([folder]);
  for (const name of names) {
    const segments = name.split('/');
    if (segments.some((segment) => segment === '' || segment === '.' || segment === '..' || /[\\\0:]/.test(segment))) {
      throw new ForgeError('invalid_package', `${JSON.stringify(name)} is not a path inside a folder`);
    }
    for (let depth = 1; depth < segments.length; depth += 1) {
      folders.add(path.join(folder, ...segments.slice(0, depth)));
    }
  }
  return [...folders];
}

function confirmFolder(folder: string, changed: string, ops: FileOps): void {
  try {
    syncFolder(folder, ops);
  } catch (error) {
    throw diskWriteFailed(`the disk did not confirm the change of ${changed}`, error, UNCONFIRMED);
  }
}

function syncFolder(folder: string, ops: FileOps): void {
  let fd: number;
  try {
    fd = ops.openSync(folder, 'r');
  } catch (error) {
    if (refusesFolderSync(error)) return;
    throw error;
  }
  try {
    ops.fsyncSync(fd);
  } catch (error) {
    if (!refusesFolderSync(error)) throw error;
  } finally {
    closeQuietly(fd, ops);
  }
}

/** Windows has no way to sync a folder, and some network disks have none either; the file itself was synced before. */
function refusesFolderSync(error: unknown): boolean {
  const code = systemCode(error);
  if (code === 'EINVAL' || code === 'ENOTSUP' || code === 'ENOSYS') return true;
  return process.platform === 'win32' && (code === 'EPERM' || code === 'EACCES' || code === 'EISDIR');
}

function closeQuietly(fd: number, ops: FileOps): void {
  try {
    ops.closeSync(fd);
  } catch {
    // What mattered was synced before, or has failed already and is being reported.
  }
}

function removeQuietly(place: string, ops: FileOps): void {
  try {
    ops.rmSync(place, { recursive: true, force: true });
  } catch {
    // The failure that led here is the one to report; removeLeftovers finds what stayed behind.
  }
}
