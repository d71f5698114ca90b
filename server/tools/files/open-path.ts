import { constants, type Stats } from 'node:fs';
import { open, readdir, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ForgeError } from '../../../shared/errors.ts';
import { diskReason } from '../../store/disk-errors.ts';
import { isInside, refusedContent, refusedPath } from './path-rules.ts';

export interface FilePlaces {
  /** Folders whose files may be sent without a question. */
  folders: readonly string[];
  /** Forge's own. */
  dataDir: string;
}

export interface OpenedPath {
  /** Without symbolic links. */
  real: string;
  size: number;
  bytes: Uint8Array | null;
  isAllowed: boolean;
}

/** How a file is read. */
export interface Reading {
  maxBytes: number;
  /** False where it is only looked at. */
  reads: boolean;
  /** Told how much memory it takes, before it does; throws when there is none left. */
  reserve: (bytes: number) => void;
}

/** Reads a file that a caller names, or only looks at it; `maxBytes` is checked before anything is read. */
export async function openPath(
  written: string,
  { folders, dataDir }: FilePlaces,
  reading: Reading,
): Promise<OpenedPath> {
  const wanted = absolutePath(written);
  const own = await realpath(dataDir).catch(() => dataDir);
  requireSendable(written, refusedPath(wanted, own));
  try {
    const real = await realpath(wanted);
    requireSendable(written, refusedPath(real, own));
    const { isLinked, ...found } = await readReal(real, written, own, reading);
    if ((await realpath(wanted)) !== real) throw replaced(written);
    return { real, ...found, isAllowed: !isLinked && (await isAllowed(real, folders)) };
  } catch (error) {
    if (error instanceof ForgeError) throw error;
    throw unusable(written, `cannot be read: ${diskReason(error)}`);
  }
}

type Read = Pick<OpenedPath, 'size' | 'bytes'> & { isLinked: boolean };

async function readReal(real: string, written: string, own: string, reading: Reading): Promise<Read> {
  // Opening a device may already do something.
  if (!(await stat(real)).isFile()) throw unusable(written, 'is not a file');
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw unusable(written, 'is not a file');
    if (!(await isStill(handle, stats, real))) throw replaced(written);
    // Another name of the same file may be anywhere, so its place says nothing about it.
    const isLinked = stats.nlink > 1;
    if (isLinked && (await isOneOf(stats, own))) requireSendable(written, 'it belongs to Forge itself');
    return { ...(await readHandle(handle, stats.size, written, reading)), isLinked };
  } finally {
    await handle.close();
  }
}

/** A folder of the path may become a link between two looks at it, and a folder again; what was opened stays what it is. */
async function isStill(handle: FileHandle, opened: Stats, real: string): Promise<boolean> {
  const place = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null);
  return place === null ? isSame(opened, await stat(real)) : place === real;
}

async function isOneOf(stats: Stats, folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  const all = await Promise.all(names.map((name) => stat(path.join(folder, name)).catch(() => null)));
  return all.some((one) => one !== null && isSame(stats, one));
}

function isSame(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

async function readHandle(
  handle: FileHandle,
  said: number,
  written: string,
  { maxBytes, reads, reserve }: Reading,
): Promise<Pick<OpenedPath, 'size' | 'bytes'>> {
  requireSize(written, said, maxBytes);
  if (!reads) return { size: said, bytes: null };
  reserve(said);
  // One byte more than it said, so that a file that grows meanwhile is noticed.
  const buffer = Buffer.alloc(said + 1);
  let size = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, size, buffer.length - size, size);
    size += bytesRead;
    if (bytesRead === 0 || size === buffer.length) break;
  }
  if (size > said) throw unusable(written, 'changes while it is read');
  const bytes = buffer.subarray(0, size);
  requireSendable(written, refusedContent(bytes));
  return { size, bytes };
}

/** Folders are compared as they really are, too; one that does not exist allows nothing. */
async function isAllowed(real: string, folders: readonly string[]): Promise<boolean> {
  const known = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
  return known.some((folder) => folder !== null && isInside(real, folder));
}

function absolutePath(written: string): string {
  const home = written.startsWith('~/') || written.startsWith('~\\') ? os.homedir() + written.slice(1) : written;
  // Opening a path of another computer would already tell it who is asking.
  if (/^[/\\]{2}/.test(home)) throw unusable(written, 'names another computer');
  if (home.includes('\0') || !path.isAbsolute(home)) throw unusable(written, 'is not an absolute path');
  // Behind a second colon Windows has other contents of a file, under names that no rule knows.
  if (path.sep === '\\' && home.slice(2).includes(':')) throw unusable(written, 'names a part of a file');
  return path.normalize(home);
}

function requireSendable(written: string, problem: string | null): void {
  if (problem !== null) throw new ForgeError('file_refused', `Forge does not send ${written}: ${problem}.`);
}

export function requireSize(source: string, size: number, maxBytes: number): void {
  if (size > maxBytes) throw unusable(source, `has ${size} bytes, and the tool takes ${maxBytes}`);
}

function replaced(written: string): ForgeError {
  return unusable(written, 'was replaced while it was read');
}

export function unusable(source: string, problem: string): ForgeError {
  return new ForgeError('invalid_argument', `the file ${source} ${problem}`, {
    hint: 'Name an absolute path, the handle of a result (res_…) or a file of an earlier call (forge://files/…).',
  });
}
