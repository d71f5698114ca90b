import { existsSync, statfsSync } from 'node:fs';
import path from 'node:path';
import type { Check, Patient } from './check.ts';

const MEGABYTE = 1024 * 1024;
const ENOUGH_BYTES = 100 * MEGABYTE;

type FreeBytes = (folder: string) => number;

/** Whether there is room to write. */
export function checkDiskSpace({ paths }: Patient, freeBytes: FreeBytes = bytesFree): Check {
  const name = 'disk space';
  const free = freeBytes(existingFolder(paths.root));
  const message = `${Math.floor(free / MEGABYTE)} MB free`;
  if (free >= ENOUGH_BYTES) return { name, status: 'ok', message };
  return {
    name,
    status: 'warn',
    message: `only ${message}`,
    fix: 'Free some space; Forge refuses changes it cannot write safely.',
  };
}

function bytesFree(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(path.dirname(folder));
}
