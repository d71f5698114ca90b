import { existsSync } from 'node:fs';
import { openDataDir } from '../../store/data-dir.ts';
import { nodeFileOps } from '../../store/file-ops.ts';
import { failed, type Check, type Patient } from './check.ts';

/** Whether the data dir is there, is the person's own, and is closed to others. */
export function checkDataDir({ paths }: Patient): Check {
  const name = 'data dir';
  if (!existsSync(paths.root))
    return { name, status: 'ok', message: `${paths.root} is not there yet; the first start makes it` };
  try {
    // The check of a start, without the folders it would make.
    openDataDir(paths.root, { ops: { ...nodeFileOps, mkdirSync: () => undefined } });
    return { name, status: 'ok', message: `${paths.root} is yours alone` };
  } catch (error) {
    return failed(name, error);
  }
}
