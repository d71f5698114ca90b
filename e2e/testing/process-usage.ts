import { readdirSync, readFileSync } from 'node:fs';

/** Whether the system tells how much a process uses. */
export const knowsUsage = process.platform === 'linux';

/** The memory of a process that is in use right now, in MB. */
function rssMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kb) / 1024;
}

/** How many files, sockets and pipes a process has open. */
export function openFds(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

const EVERY_MS = 200;

/** The memory of a process over time, sampled along the way by whoever has something to do anyway. */
export class RssSamples {
  readonly #samples: { atMs: number; mb: number }[] = [];
  readonly #startedAt = performance.now();
  #nextMs = 0;

  take(pid: number): void {
    const atMs = performance.now() - this.#startedAt;
    if (!knowsUsage || atMs < this.#nextMs) return;
    this.#nextMs = atMs + EVERY_MS;
    this.#samples.push({ atMs, mb: rssMb(pid) });
  }

  /** The least between two parts of the whole time, such as 0.9 and 1: what is left when the garbage collector has been through. */
  least(from: number, to: number): number {
    const totalMs = this.#samples.at(-1)?.atMs ?? 0;
    const within = this.#samples.filter(({ atMs }) => atMs >= from * totalMs && atMs <= to * totalMs);
    return Math.min(...within.map(({ mb }) => mb));
  }
}
