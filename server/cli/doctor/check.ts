import { isForgeError } from '../../../shared/errors.ts';
import type { Config } from '../../config.ts';
import type { DataDir } from '../../store/data-dir.ts';
import type { RunningServer } from '../find-server.ts';

/** One line of `forge doctor`: what was looked at, how it is, and what to do about it. */
export interface Check {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** The command or step that helps. */
  fix?: string;
}

/** What checks look at. None of them changes anything. */
export interface Patient {
  config: Config;
  paths: DataDir;
  server: RunningServer | null;
  nodeVersion: string;
  /** What is wrong with the database, or null; looked for once, because it means reading the whole file. */
  damage: () => Promise<string | null>;
}

/** A failure as a finding; only what was not foreseen goes on as an error. */
export function failed(name: string, error: unknown, status: 'warn' | 'fail' = 'fail'): Check {
  if (!isForgeError(error)) throw error;
  return { name, status, message: error.message, fix: error.hint };
}
