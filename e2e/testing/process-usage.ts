import { readdirSync, readlinkSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import type { ForgeProcess } from './forge-process.ts';

/** Whether the system tells how much a process uses. */
export const knowsUsage = process.platform === 'linux';

const COLLECTOR = pathToFileURL(path.join(import.meta.dirname, 'collect-on-signal.mjs')).href;

/**
 * What a Forge must be started with for `restingMb`. By default glibc keeps a varying share of what was set free, up to 50 MB here:
 * these limits are its own first ones, which it then no longer raises.
 */
export const MEASURABLE: Record<string, string> = knowsUsage
  ? {
      NODE_OPTIONS: `--import=${COLLECTOR}`,
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '131072',
      MALLOC_TRIM_THRESHOLD_: '131072',
    }
  : {};

/** Each time the collector goes through, what the last time set free is given back. */
const COLLECTIONS = 3;

/** The memory of a Forge with nothing to do, in MB, without what the garbage collector had merely put off. */
export async function restingMb({ child, output }: Pick<ForgeProcess, 'child' | 'output'>): Promise<number> {
  const times = (): number => output().split('Collected\n').length - 1;
  for (let n = 0; n < COLLECTIONS; n += 1) {
    const before = times();
    child.kill('SIGUSR2');
    await expect.poll(times, { timeout: 10_000 }).toBe(before + 1);
  }
  return rssMb(child.pid ?? 0);
}

/** The memory of a process that is in use right now, in MB. */
function rssMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kb) / 1024;
}

/** How many files, sockets and pipes a process has open. */
export function openFds(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  // A thread that is started for large results, and ends when it is idle, waits on handles of the system's own.
  return readdirSync(folder).filter((fd) => !targetOf(`${folder}/${fd}`).startsWith('anon_inode:')).length;
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    // It was closed meanwhile.
    return 'anon_inode:';
  }
}
