import { readdirSync, readFileSync } from 'node:fs';

/** The ids of all running processes whose environment holds this text; an ended one that was not collected has none. */
export function processesWith(marker: string): number[] {
  return allProcesses()
    .filter((pid) => environmentOf(pid).includes(marker))
    .map(Number);
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    // It ended in the meantime, or belongs to somebody else.
    return '';
  }
}

/** The processes that a process has started itself. */
export function childrenOf(parent: number): { pid: number; command: string }[] {
  return allProcesses().flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      // The name of a program may hold spaces and brackets.
      const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(ppid) !== parent || state === 'Z') return [];
      const command = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
      return [{ pid: Number(name), command }];
    } catch {
      // It ended in the meantime.
      return [];
    }
  });
}

const allProcesses = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name));
