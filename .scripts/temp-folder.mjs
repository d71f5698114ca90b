// One folder for all that a run of the tests leaves: what a killed browser or server could not remove goes with it.
import { accessSync, constants, mkdirSync, rmSync, statfsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 3 * 1024 ** 3;

/** In memory where there is enough of it, since each of thousands of small databases waits for the disk. */
function parent() {
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

/** The TMPDIR of the tests and of everything they start. Short, because sockets are made in it. */
export const tempFolder = path.join(parent(), `forge-tests-${process.pid}`);

/** Vitest calls this before the first test, once for each project, and what it returns after the last one. */
export default function setup() {
  // Some tests run programs as another user, who has to pass through; each test's own folder inside is closed.
  mkdirSync(tempFolder, { recursive: true, mode: 0o711 });
  return () => rmSync(tempFolder, { recursive: true, force: true, maxRetries: 5 });
}
