import { constants, lstatSync, statSync, type Stats } from 'node:fs';
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
  /** What Forge marks its caches with. */
  readonly cacheKey: string;
  /** The newest row of the call log, recorded outside the database. */
  readonly callLogHead: string;
  readonly lock: string;
  readonly serverInfo: string;
}

interface Caller {
  /** The person running Forge; null where the system has no such numbers (Windows), and then nothing is checked. */
  uid?: number | null;
  ops?: FileOps;
}

/** Makes the data dir where there is none, and refuses one that others could read or change, or that holds a file they could. */
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
  const { root: _root, connectors, files, ...alone } = dataDir;
  for (const folder of [connectors, files]) {
    const found = statOf(folder);
    if (found === null) makeFolder(folder, ops);
    else checkPrivate(folder, found, uid, '700');
  }
  // Whatever else Forge keeps is a file, and each is looked at whether or not this start reads it.
  for (const file of Object.values(alone)) checkPrivateFile(file, { uid });
  return dataDir;
}

/** Refuses a file of Forge's that others could read or change, or that lies somewhere else; one that is not there passes. */
export function checkPrivateFile(file: string, caller: Caller = {}): void {
  const { uid = currentUid() } = caller;
  const stats = statOf(file, lstatSync);
  if (stats === null) return;
  if (stats.isSymbolicLink()) throw linked(file);
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
    cacheKey: path.join(absolute, 'cache-key'),
    callLogHead: path.join(absolute, 'call-log-head'),
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

/** Where a link leads may be anybody's, and change at any time. */
function linked(file: string): ForgeError {
  const target = `"$(readlink -f ${shellQuoted(file)})"`;
  return new ForgeError('data_dir_open', `${file} is a symbolic link, and Forge keeps its own files only`, {
    hint: `Run: mv -f ${target} ${shellQuoted(file)}`,
  });
}

function statOf(place: string, look: (place: string) => Stats = statSync): Stats | null {
  try {
    return look(place);
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
