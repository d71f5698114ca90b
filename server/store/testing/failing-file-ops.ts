import { nodeFileOps, type FileOps } from '../file-ops.ts';

interface FailingFileOps {
  readonly ops: FileOps;
  /** How many operations were asked for, the failing ones included. */
  count(): number;
}

/**
 * The real disk whose nth operation (from 1) fails with `code`.
 * `once` is a disk that recovers, so cleaning up works; `onwards` is a disk, or a process, that is gone from then on.
 */
export function failingFileOps(failAt: number, code: string, duration: 'once' | 'onwards'): FailingFileOps {
  let count = 0;
  const check = (operation: string): void => {
    count += 1;
    const fails = duration === 'once' ? count === failAt : count >= failAt;
    if (fails) throw Object.assign(new Error(`${code}: injected failure, ${operation}`), { code, syscall: operation });
  };
  const failing =
    <P extends unknown[], R>(operation: string, run: (...parameters: P) => R) =>
    (...parameters: P): R => {
      check(operation);
      return run(...parameters);
    };
  const ops: FileOps = {
    openSync: failing('open', nodeFileOps.openSync),
    writeSync: failing('write', nodeFileOps.writeSync),
    fsyncSync: failing('fsync', nodeFileOps.fsyncSync),
    closeSync: (fd) => {
      // The descriptor is given back even when closing reports a failure, as an operating system does.
      nodeFileOps.closeSync(fd);
      check('close');
    },
    renameSync: failing('rename', nodeFileOps.renameSync),
    rmSync: failing('rm', nodeFileOps.rmSync),
    mkdirSync: failing('mkdir', nodeFileOps.mkdirSync),
    chmodSync: failing('chmod', nodeFileOps.chmodSync),
    accessSync: failing('access', nodeFileOps.accessSync),
  };
  return { ops, count: () => count };
}
