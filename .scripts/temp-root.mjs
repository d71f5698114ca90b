import { accessSync, constants, statfsSync } from 'node:fs';
import os from 'node:os';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 3 * 1024 ** 3;

/** Where tests put their files: in memory where there is enough of it, since each of thousands of small databases waits for the disk. */
export function tempRoot() {
  if (process.env.TMPDIR !== undefined) return process.env.TMPDIR;
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize > ENOUGH_BYTES) return MEMORY;
  } catch {
    // Not Linux, or a container without it.
  }
  return os.tmpdir();
}
