import { endMarked, RUN_VARIABLE } from './marked-processes.ts';
import { posixGroup, windowsTree, type ProcessGroup } from './process-group.ts';
import { runProcess, type StartProgram } from './run-process.ts';

/** Within this time no system gives out all its process numbers, so that those of later processes are higher. */
const NUMBERS_ASCEND_MS = 1000;

interface MarkedRun {
  /** Carried by this program and whatever it starts, and by nothing else. */
  mark: string;
  /** Where Windows is; elsewhere nobody asks. */
  systemRoot: string;
  onStart?: (pid: number) => void;
}

/** Runs a program so that what it starts is found again, wherever it goes, and ends with the call. */
export function runMarked(
  { mark, systemRoot, onStart }: MarkedRun,
  ...[spec, limits, context]: Parameters<StartProgram>
): ReturnType<StartProgram> {
  const groupOf = (pid: number): ProcessGroup => {
    onStart?.(pid);
    return groupFor(pid, systemRoot, mark);
  };
  // The mark comes last: no tool chooses its own.
  const env = { ...spec.env, [RUN_VARIABLE]: mark };
  return runProcess({ ...spec, env }, { ...limits, groupOf }, context);
}

/** What has been started under a number, without a mark for what has left the group. */
export function groupFor(pid: number, systemRoot: string, mark: string | null = null): ProcessGroup {
  if (process.platform === 'win32') return windowsTree(pid, systemRoot);
  if (mark === null) return posixGroup(pid);
  const startedAt = performance.now();
  return posixGroup(pid, () => {
    const isShort = performance.now() - startedAt < NUMBERS_ASCEND_MS;
    endMarked(mark, isShort ? pid : null);
  });
}
