import { lstat, readdir, rmdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { diskReason, systemCode } from '../store/disk-errors.ts';
import { FILE_ID } from './files.ts';
import { safeFilename } from './safe-filename.ts';

/** How long saved files are kept, and how much they may take together. */
export interface FileLimits {
  keepMs: number;
  maxBytes: number;
}

interface PruneOptions {
  now?: () => number;
  /** Stops between two files. */
  signal?: AbortSignal;
  removeFile?: (file: string) => Promise<void>;
}

interface Pruned {
  removed: number;
  bytes: number;
  /** What could not be looked at or removed, and why; it is tried again the next time. */
  problems: string[];
}

/** One folder as the store made it; without a file when Forge was stopped while it wrote one. */
interface Kept {
  folder: string;
  file: string | null;
  bytes: number;
  writtenAt: number;
}

/** Whoever asked for a file gets at least this long to fetch it, however large it is. */
const FETCH_MS = 60 * 60 * 1000;

/**
 * Removes the files that are too old and then the oldest ones of those that are too large together. What does not look exactly
 * as the store writes it is somebody else's and stays.
 */
export async function pruneFiles(folder: string, limits: FileLimits, options: PruneOptions = {}): Promise<Pruned> {
  const { now = Date.now, signal, removeFile = unlink } = options;
  const pruned: Pruned = { removed: 0, bytes: 0, problems: [] };
  const attempt = async <T>(place: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      // Somebody else was faster, or has put something there that is not to be removed.
      if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTEMPTY')
        pruned.problems.push(`${place}: ${diskReason(error)}`);
      return null;
    }
  };

  const kept: Kept[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (signal?.aborted === true) return pruned;
    const place = path.join(folder, entry.name);
    const found = entry.isDirectory() && FILE_ID.test(entry.name) ? await attempt(place, () => readKept(place)) : null;
    if (found !== null) kept.push(found);
  }
  let total = 0;
  for (const { folder: place, file, bytes, writtenAt } of kept.sort((a, b) => b.writtenAt - a.writtenAt)) {
    if (signal?.aborted === true) return pruned;
    total += bytes;
    const ageMs = now() - writtenAt;
    if (ageMs <= limits.keepMs && (total <= limits.maxBytes || ageMs <= FETCH_MS)) continue;
    await attempt(place, async () => {
      if (file !== null) await removeFile(path.join(place, file));
      await rmdir(place);
      pruned.removed += 1;
      pruned.bytes += bytes;
    });
  }
  return pruned;
}

async function readKept(folder: string): Promise<Kept | null> {
  const [entry, ...more] = await readdir(folder, { withFileTypes: true });
  if (entry === undefined) return { folder, file: null, bytes: 0, writtenAt: (await lstat(folder)).mtimeMs };
  if (more.length > 0 || !entry.isFile() || safeFilename(entry.name) !== entry.name) return null;
  const { size, mtimeMs } = await lstat(path.join(folder, entry.name));
  return { folder, file: entry.name, bytes: size, writtenAt: mtimeMs };
}
