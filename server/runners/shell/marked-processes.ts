import { execFileSync } from 'node:child_process';
import { existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { kill } from './process-group.ts';

/** Every program of a tool carries it in its environment, and whatever the program starts inherits it, in any group or session. */
export const RUN_VARIABLE = 'FORGE_RUN';

/** Beyond this many numbers, listing all processes is cheaper than asking for each. */
const MAX_ASKED = 200;
/** A process that does nothing but fork and exit may be missed a few times. */
const MAX_LOOKS = 500;
const PS_BYTES = 64 * 1024 * 1024;

/** Where to look for the processes of a short call. */
export interface Numbers {
  /** The lowest that one of them can have. */
  first: number;
  /** True for a number that belongs to another call's program, and cannot be one of them. */
  isTaken: (pid: number) => boolean;
}

/** Kills every process that carries a mark. Without numbers it looks at all there are. Returns how many were found. */
export function endMarked(mark: string, numbers: Numbers | null = null): number {
  const entry = `${RUN_VARIABLE}=${mark}`;
  if (process.platform === 'linux') return endOnLinux(entry, numbers);
  if (process.platform === 'darwin' && numbers === null) return endListed(entry);
  return 0;
}

/**
 * Looks again at the numbers given out during each look, until a look passes without any: whatever was started meanwhile by a process
 * that had ended before it was looked at is among them. One that has overwritten, cleared or hidden its environment is not found.
 */
function endOnLinux(entry: string, numbers: Numbers | null): number {
  let found = 0;
  let from = numbers?.first ?? null;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const last = lastNumber();
    for (const pid of numbersFrom(from, last)) {
      if (numbers?.isTaken(pid) === true || !environmentOf(pid).includes(entry)) continue;
      endWithGroup(pid);
      found += 1;
    }
    if (last === null || lastNumber() === last) break;
    from = last + 1;
  }
  return found;
}

/** A signal to a group reaches every member at once, so that none can fork and exit in time. */
function endWithGroup(pid: number): void {
  const group = groupOf(pid);
  kill(pid, 'SIGKILL');
  // Groups of a program belong to sessions that it or its children have begun; Forge's own processes are never among them.
  if (group !== null && group > 1) kill(-group, 'SIGKILL');
}

/** Numbers ascend, so that what a short call has left is among the last few. */
function numbersFrom(first: number | null, last: number | null): number[] {
  if (first !== null && last !== null && last >= first && last - first < MAX_ASKED) {
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  }
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

const loadLine = Buffer.alloc(100);
let loadFile: number | null = null;

/** The number that was given out last. The file is kept open: every call of a tool reads it. */
function lastNumber(): number | null {
  loadFile ??= openSync('/proc/loadavg', 'r');
  const length = readSync(loadFile, loadLine, 0, loadLine.length, 0);
  const last = Number(loadLine.toString('latin1', 0, length).split(' ').at(-1));
  return Number.isInteger(last) ? last : null;
}

function groupOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // A name in parentheses may hold anything; state, parent and group follow it.
    const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
    return Number.isInteger(group) ? group : null;
  } catch {
    // Its parent has collected it already.
    return null;
  }
}

function environmentOf(pid: number): string {
  if (!existsSync(`/proc/${pid}`)) return '';
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    // It has ended, or belongs to somebody else.
    return '';
  }
}

/** macOS shows the environment of a person's own processes behind their commands. What was killed cannot fork any more. */
function endListed(entry: string): number {
  const killed = new Set<number>();
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const found = listedWith(entry).filter((pid) => !killed.has(pid));
    if (found.length === 0) break;
    for (const pid of found) {
      kill(pid, 'SIGKILL');
      killed.add(pid);
    }
  }
  return killed.size;
}

function listedWith(entry: string): number[] {
  const listed = execFileSync('/bin/ps', ['-axEww', '-o', 'pid=,command='], { encoding: 'utf8', maxBuffer: PS_BYTES });
  return listed
    .split('\n')
    .filter((line) => line.includes(entry))
    .map((line) => Number.parseInt(line, 10));
}
