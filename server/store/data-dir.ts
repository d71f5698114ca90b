import { constants, statSync, type Stats } from 'node:fs';
import path from 'node:path';
import { ForgeError } from '../../shared/errors.ts';
import { diskReason, systemCode } from './disk-errors.ts';
import { nodeFileOps, type FileOps } from './file-ops.ts';

/** Where everything is kept; nothing else joins paths below the data dir. */
export interface DataDir {
  readonly root: string;
  readonly database: string;
  readonly connectors: string;
  readonly files: string;
  readonly key: string;
  readonly token: string;
  /** What Forge proves itself by to its browsers. */
  readonly bridgeKey: string;
  readonly lock: string;
  readonly serverInfo: string;
}

interface Caller {
  /** The person running Forge; null where the system has no such numbers (Windows), and then nothing is checked. */
  uid?: number | null;
  ops?: FileOps;
}

/** Makes the data dir where there is none, and refuses one that others could read. */
export function openDataDir(root: string, caller: Caller = {}): DataDir {
  const { uid = currentUid(), ops = nodeFileOps } = caller;
  const dataDir = dataDirPaths(root);
  if (statOf(dataDir.root) === null) makeFolder(dataDir.root, ops);
  const stats = statOf(dataDir.root);
  if (stats === null) throw unusable(dataDir.root, 'it disappeared while Forge was starting');
  if (!stats.isDirectory()) throw unusable(dataDir.root, 'it is not a folder');
  checkPrivate(dataDir.root, stats, uid, '700');
  try {
    ops.accessSync(dataDir.root, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(dataDir.root, diskReason(error), error);
  }
  for (const folder of [dataDir.connectors, dataDir.files]) {
    if (statOf(folder) === null) makeFolder(folder, ops);
  }
  return dataDir;
}

/** Refuses a key or token file that others could read; a file that is not there passes. */
export function checkPrivateFile(file: string, caller: Caller = {}): void {
  const { uid = currentUid() } = caller;
  const stats = statOf(file);
  if (stats === null) return;
  if (!stats.isFile()) throw unusable(file, 'it is not a file');
  checkPrivate(file, stats, uid, '600');
}

/** The places in a data dir, without making or checking anything. */
export function dataDirPaths(root: string): DataDir {
  const absolute = path.resolve(root);
  return {
    root: absolute,
    database: path.join(absolute, 'forge.db'),
    connectors: path.join(absolute, 'connectors'),
    files: path.join(absolute, 'files'),
    key: path.join(absolute, 'key'),
    token: path.join(absolute, 'token'),
    bridgeKey: path.join(absolute, 'bridge-key'),
    lock: path.join(absolute, 'lock.db'),
    serverInfo: path.join(absolute, 'server.json'),
  };
}

function checkPrivate(place: string, stats: Stats, uid: number | null, mode: '600' | '700'): void {
  if (uid === null) return;
  if (stats.uid !== uid) {
    throw new ForgeError('data_dir_open', `${place} belongs to another user (uid ${stats.uid}, and this is ${uid})`, {
      hint: `Set FORGE_DATA_DIR to a folder of your own, or run: sudo chown -R ${uid} ${shellQuoted(place)}`,
    });
  }
  if ((stats.mode & 0o077) !== 0) {
    const found = (stats.mode & 0o777).toString(8).padStart(3, '0');
    throw new ForgeError('data_dir_open', `${place} is readable by others (mode ${found})`, {
      hint: `Run: chmod ${mode} ${shellQuoted(place)}`,
    });
  }
}

function currentUid(): number | null {
  return process.getuid?.() ?? null;
}

function statOf(place: string): Stats | null {
  try {
    return statSync(place);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw unusable(place, diskReason(error), error);
  }
}

function makeFolder(folder: string, ops: FileOps): void {
  try {
    ops.mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(folder, `it could not be made: ${diskReason(error)}`, error);
  }
}

function unusable(place: string, reason: string, cause?: unknown): ForgeError {
  return new ForgeError('data_dir_unusable', `${place} cannot be used: ${reason}`, { cause });
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
