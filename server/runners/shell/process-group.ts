import { spawn } from 'node:child_process';
import path from 'node:path';

/** A started program together with everything it started in turn. */
export interface ProcessGroup {
  /** Sends a signal to all of them; those that are gone already are no failure. */
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
  /** True while any of them is alive. */
  isAlive(): boolean;
  /** Kills what the program has started and put out of the group's reach. */
  endStrays(): void;
}

/** The group of a program that was started as the leader of a group of its own. */
export function posixGroup(pid: number, endStrays: () => void = () => undefined): ProcessGroup {
  return {
    signal: (name) => void kill(-pid, name),
    isAlive: () => kill(-pid, 0),
    endStrays,
  };
}

/** Windows has no groups and no polite signal that reaches a program without a window; the tree is ended at once. */
export function windowsTree(pid: number, systemRoot: string): ProcessGroup {
  const taskkill = path.win32.join(systemRoot || 'C:\\Windows', 'System32', 'taskkill.exe');
  return {
    signal: () => {
      const killer = spawn(taskkill, ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
      killer.once('error', () => void kill(pid, 'SIGKILL'));
      killer.unref();
    },
    isAlive: () => kill(pid, 0),
    endStrays: () => undefined,
  };
}

/** Sends a signal; false when there is nobody to receive it. */
export function kill(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch (error) {
    // EPERM: somebody is there, but under another user (sudo), and out of Forge's reach.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
