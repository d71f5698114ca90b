import { existsSync } from 'node:fs';
import { diskWriteFailed, systemCode } from './disk-errors.ts';
import { nodeFileOps, type FileOps } from './file-ops.ts';

/**
 * Makes an empty file that only its owner can read, before SQLite would make it with the usual permissions.
 * A file that is there is not even opened: closing it again would drop SQLite's locks on it.
 */
export function createPrivateFile(path: string, ops: FileOps = nodeFileOps): void {
  if (existsSync(path)) return;
  try {
    ops.closeSync(ops.openSync(path, 'wx', 0o600));
  } catch (error) {
    // Another process was a moment faster.
    if (systemCode(error) === 'EEXIST') return;
    throw diskWriteFailed(`${path} could not be made`, error);
  }
}
