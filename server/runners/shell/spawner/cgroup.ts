import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Where a control group of Forge's own could be made: inside the one that it runs in. Null where the system has none, or where Forge runs
 * in the root of all groups, which is nobody's own.
 */
export function cgroupFor(name: string): string | null {
  if (process.platform !== 'linux') return null;
  try {
    const own = /^0::(\/.+)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
    const mounted = readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .find((line) => line.includes(' - cgroup2 '));
    const [, , , root, place] = mounted?.split(' ') ?? [];
    if (own === undefined || root === undefined || place === undefined) return null;
    return path.join(place, path.relative(root, own), name);
  } catch {
    // No /proc, or one that shows nothing.
    return null;
  }
}

/** Moves this process, and so whatever it starts from now on, into a group of its own; false where it may not. */
export function enterCgroup(folder: string): boolean {
  try {
    mkdirSync(folder);
  } catch {
    // Most systems let only a service manager make groups.
    return false;
  }
  try {
    // Without it nothing of a group could be ended at once.
    accessSync(path.join(folder, 'cgroup.kill'), constants.W_OK);
    writeFileSync(path.join(folder, 'cgroup.procs'), String(process.pid));
    return true;
  } catch {
    rmdirSync(folder);
    return false;
  }
}

/** Moves this process back to where it came from. */
export function leaveCgroup(folder: string): void {
  writeFileSync(path.join(path.dirname(folder), 'cgroup.procs'), String(process.pid));
}

/** Kills everything in a group, whatever it has done to itself; true once the group is gone. */
export function endCgroup(folder: string): boolean {
  try {
    writeFileSync(path.join(folder, 'cgroup.kill'), '1');
    rmdirSync(folder);
    return true;
  } catch (error) {
    // Busy until the last of them has ended.
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}
