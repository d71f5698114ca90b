import { spawn, type ChildProcess } from 'node:child_process';

/** What a process does when it is started to end the programs of another that is gone. */
export const END_PROGRAMS = 'end-programs';

/** Waits without using anything until the pipe closes that only the spawner holds, then becomes the process that ends the programs. */
const WAIT = 'trap "" HUP INT TERM; read -r nothing; exec "$0" "$@"';

/**
 * Starts the process that outlives the spawner if both it and Forge are killed. A shell of one megabyte waits; Node is started only when
 * somebody has to be ended. Its output is the spawner's, so that Forge sees when both are gone.
 */
export function startGuardian(args: readonly string[]): ChildProcess {
  const program = [process.execPath, ...process.execArgv, process.argv[1] ?? '', END_PROGRAMS, ...args];
  return spawn('/bin/sh', ['-c', WAIT, ...program], { env: {}, detached: true, stdio: ['pipe', 'inherit', 'ignore'] });
}
