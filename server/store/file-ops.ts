import {
  accessSync,
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';

/** Every disk operation that can change something goes through this door, so that a test can make any one of them fail. */
export interface FileOps {
  readonly openSync: (path: string, flags: string, mode?: number) => number;
  readonly writeSync: (fd: number, bytes: Uint8Array, offset: number, length: number, position?: number) => number;
  readonly fsyncSync: (fd: number) => void;
  readonly closeSync: (fd: number) => void;
  readonly renameSync: (from: string, to: string) => void;
  readonly rmSync: (path: string, options: { recursive?: boolean; force?: boolean }) => void;
  readonly mkdirSync: (path: string, options: { recursive?: boolean; mode: number }) => unknown;
  readonly chmodSync: (path: string, mode: number) => void;
  readonly accessSync: (path: string, mode: number) => void;
}

/** The real disk. */
export const nodeFileOps: FileOps = {
  openSync,
  writeSync,
  fsyncSync,
  closeSync,
  renameSync,
  rmSync,
  mkdirSync,
  chmodSync,
  accessSync,
};
