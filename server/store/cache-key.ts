import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isForgeError } from '../../shared/errors.ts';
import { checkPrivateFile } from './data-dir.ts';
import { systemCode } from './disk-errors.ts';
import { writeFileDurably } from './durable-files.ts';

const BYTES = 32;

/** The key that marks what Forge itself has put into its caches. One that is lost or cannot be trusted is replaced, and the caches with it. */
export function openCacheKey(file: string): Uint8Array {
  const found = readKey(file);
  if (found?.length === BYTES) return found;
  const key = randomBytes(BYTES);
  try {
    writeFileDurably(file, key);
  } catch (error) {
    // Without the file the caches last as long as this process.
    if (!isForgeError(error, 'disk_write_failed')) throw error;
  }
  return key;
}

function readKey(file: string): Uint8Array | null {
  try {
    checkPrivateFile(file);
    return readFileSync(file);
  } catch (error) {
    if (isForgeError(error) || systemCode(error) !== undefined) return null;
    throw error;
  }
}
