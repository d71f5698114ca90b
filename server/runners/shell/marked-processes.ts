import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { kill } from './process-group.ts';

/** Every program of a tool carries it in its environment, and whatever the program starts inherits it, in any group or session. */
export const RUN_VARIABLE = 'FORGE_RUN';

/** Beyond this many numbers, listing all processes is cheaper than asking for each. */
const MAX_ASKED = 200;
/** A process that does nothing but fork and exit may be missed a few times. */
const MAX_LOOKS = 200;
const PS_BYTES = 64 * 1024 * 1024;

/**
 * Kills every process that carries a mark, until a look finds no new one: what was killed cannot fork any more. `first` is the lowest number
 * that one of them can have, where that is known. Returns how many there were.
 */
export function endMarked(mark: string, first: number | null = null): number {
  const killed = new Set<number>();
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const found = findMarked(mark, first).filter((pid) => !killed.has(pid));
    if (found.length === 0) break;
    for (const pid of found) {
      kill(pid, 'SIGKILL');
      killed.add(pid);
    }
  }
  return killed.size;
}

/** The processes that carry a mark. One that has overwritten or cleared its environment, or hides it, is not among them. */
function findMarked(mark: string, first: number | null): number[] {
  const entry = `${RUN_VARIABLE}=${mark}`;
  if (process.platform === 'linux') return numbers(first).filter((pid) => environmentOf(pid).includes(entry));
  if (process.platform === 'darwin' && first === null) return listedWith(entry);
  return [];
}

/** Linux gives out numbers in ascending order, so that what a short call has left is among the last few. */
function numbers(first: number | null): number[] {
  const last = first === null ? null : lastNumber();
  if (first !== null && last !== null && last >= first && last - first < MAX_ASKED) {
    return Array.from({ length: last - first + 1 }, (_, index) => first + index).filter((pid) =>
      existsSync(`/proc/${pid}`),
    );
  }
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** The number that was given out last. */
function lastNumber(): number | null {
  const last = Number(readFileSync('/proc/loadavg', 'latin1').split(' ').at(-1));
  return Number.isInteger(last) ? last : null;
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    // It has ended, or belongs to somebody else.
    return '';
  }
}

/** macOS shows the environment of a person's own processes behind their commands. */
function listedWith(entry: string): number[] {
  const listed = execFileSync('/bin/ps', ['-axEww', '-o', 'pid=,command='], { encoding: 'utf8', maxBuffer: PS_BYTES });
  return listed
    .split('\n')
    .filter((line) => line.includes(entry))
    .map((line) => Number.parseInt(line, 10));
}
