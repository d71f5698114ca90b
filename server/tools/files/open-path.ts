import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
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

/** Reads a file that a caller names, or only looks at it; `maxBytes` is checked before anything is read. */
export async function openPath(
  written: string,
  { folders, dataDir }: FilePlaces,
  { maxBytes, reads }: { maxBytes: number; reads: boolean },
): Promise<OpenedPath> {
  const wanted = absolutePath(written);
  const own = await realpath(dataDir).catch(() => dataDir);
  requireSendable(written, refusedPath(wanted, own));
  try {
    const real = await realpath(wanted);
    requireSendable(written, refusedPath(real, own));
    // Not following links here and looking at the path again below: it may be swapped at any moment.
    const found = await readReal(real, written, maxBytes, reads);
    if ((await realpath(wanted)) !== real) throw unusable(written, 'was replaced while it was read');
    return { real, ...found, isAllowed: await isAllowed(real, folders) };
  } catch (error) {
    if (error instanceof ForgeError) throw error;
    throw unusable(written, `cannot be read: ${diskReason(error)}`);
  }
}

async function readReal(...[real, ...rest]: [real: string, written: string, maxBytes: number, reads: boolean]) {
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return await readHandle(handle, ...rest);
  } finally {
    await handle.close();
  }
}

async function readHandle(
  handle: FileHandle,
  written: string,
  maxBytes: number,
  reads: boolean,
): Promise<Pick<OpenedPath, 'size' | 'bytes'>> {
  const stat = await handle.stat();
  if (!stat.isFile()) throw unusable(written, 'is not a file');
  requireSize(written, stat.size, maxBytes);
  if (!reads) return { size: stat.size, bytes: null };
  // One byte more than it said, so that a file that grows meanwhile is noticed.
  const buffer = Buffer.alloc(stat.size + 1);
  let size = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, size, buffer.length - size, size);
    size += bytesRead;
    if (bytesRead === 0 || size === buffer.length) break;
  }
  if (size > stat.size) throw unusable(written, 'changes while it is read');
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
  return path.normalize(home);
}

function requireSendable(written: string, problem: string | null): void {
  if (problem !== null) throw new ForgeError('file_refused', `Forge does not send ${written}: ${problem}.`);
}

export function requireSize(source: string, size: number, maxBytes: number): void {
  if (size > maxBytes) throw unusable(source, `has ${size} bytes, and the tool takes ${maxBytes}`);
}

export function unusable(source: string, problem: string): ForgeError {
  return new ForgeError('invalid_argument', `the file ${source} ${problem}`, {
    hint: 'Name an absolute path, the handle of a result (res_…) or a file of an earlier call (forge://files/…).',
  });
}
