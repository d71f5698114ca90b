import { isRecord } from '../../shared/json.ts';
import type { Config } from '../config.ts';
import { withForge, type Connection } from './client.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';
import { safeText, type Terminal } from './terminal.ts';

/** What every command is given. */
export interface Cli {
  io: Io;
  terminal: Terminal;
  /** Read only by commands that need it, so that the others work whatever the environment holds. */
  config: () => Config;
  /** Turns a command's work into what commander calls, and keeps how it ended. */
  action: <A extends unknown[]>(run: (...args: A) => Promise<ExitCode>) => (...args: A) => Promise<void>;
}

/** Runs `work` against Forge: the running server, or one for this command alone. */
export function useForge<T>({ config, terminal }: Cli, work: (forge: Connection) => Promise<T>): Promise<T> {
  return withForge(config(), work, { log: (line) => showLogLine(terminal, line) });
}

/** Log lines of a Forge that lives inside the command. Errors that reach the command as answers are not told twice. */
function showLogLine(terminal: Terminal, line: string): void {
  const entry: unknown = JSON.parse(line);
  if (!isRecord(entry)) return;
  const error = isRecord(entry['error']) ? entry['error'] : null;
  if (error?.['type'] === 'ForgeError') return;
  terminal.warn(String(entry['msg']));
  if (typeof error?.['stack'] === 'string') terminal.err(safeText(error['stack']));
}
