import { endMarked, RUN_VARIABLE } from './marked-processes.ts';
import { posixGroup, windowsTree, type ProcessGroup } from './process-group.ts';
import { runProcess, type StartProgram } from './run-process.ts';

/** Within this time no system gives out all its process numbers, so that those of later processes are higher. */
const NUMBERS_ASCEND_MS = 1000;

/** Numbers of the programs that one process has started lately. */
export class StartedPrograms {
  readonly #startedAt = new Map<number, number>();

  add(pid: number): void {
    const now = performance.now();
    for (const [old, at] of this.#startedAt) {
      if (now - at < NUMBERS_ASCEND_MS) break;
      this.#startedAt.delete(old);
    }
    // Behind all others, whoever had the number before.
    this.#startedAt.delete(pid);
    this.#startedAt.set(pid, now);
  }

  has(pid: number): boolean {
    return this.#startedAt.has(pid);
  }
}

interface MarkedRun {
  /** Carried by this program and whatever it starts, and by nothing else. */
  mark: string;
  /** Where Windows is; elsewhere nobody asks. */
  systemRoot: string;
  /** All that the same process has started: each has a mark of its own. */
  started: StartedPrograms;
  onStart?: (pid: number) => void;
}

/** Runs a program so that what it starts is found again, wherever it goes, and ends with the call. */
export function runMarked(
  { mark, systemRoot, started, onStart }: MarkedRun,
  ...[spec, limits, context]: Parameters<StartProgram>
): ReturnType<StartProgram> {
  const groupOf = (pid: number): ProcessGroup => {
    started.add(pid);
    onStart?.(pid);
    return groupFor(pid, systemRoot, { mark, started });
  };
  // The mark comes last: no tool chooses its own.
  const env = { ...spec.env, [RUN_VARIABLE]: mark };
  return runProcess({ ...spec, env }, { ...limits, groupOf }, context);
}

/** What has been started under a number, without a mark for what has left the group. */
export function groupFor(
  pid: number,
  systemRoot: string,
  marked: Pick<MarkedRun, 'mark' | 'started'> | null = null,
): ProcessGroup {
  if (process.platform === 'win32') return windowsTree(pid, systemRoot);
  if (marked === null) return posixGroup(pid);
  const { mark, started } = marked;
  const startedAt = performance.now();
  return posixGroup(pid, () => {
    const isShort = performance.now() - startedAt < NUMBERS_ASCEND_MS;
    endMarked(mark, isShort ? { first: pid, isTaken: (other) => other !== pid && started.has(other) } : null);
  });
}
