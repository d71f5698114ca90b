import type { PrepareExtension } from './browser/prepare-extension.ts';
import type { Readable, Writable } from 'node:stream';

type Output = Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };
export type Input = Readable & { readonly isTTY?: boolean | undefined };

/** Everything a command sees of the process around it. */
export interface Io {
  stdout: Output;
  stderr: Output;
  stdin: Input;
  /** Left out, the process's own. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Where SIGINT and SIGTERM arrive: the process itself, or a test's emitter. */
  signals: Pick<NodeJS.EventEmitter, 'on' | 'off'>;
  /** Ends the process without waiting for anything. */
  exit: (code: number) => void;
  /** The process that started this one, where this one must end with it. */
  parent?: () => number;
  /** Makes the extension while Forge runs; left out where nobody would load it. */
  prepareExtension?: PrepareExtension;
}

/** True when a person can be asked: both what they type and what they see is a terminal. */
export function isInteractive(io: Io): boolean {
  return io.stdin.isTTY === true && io.stdout.isTTY === true;
}
