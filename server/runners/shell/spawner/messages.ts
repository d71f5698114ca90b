import type { StreamName } from '../output-tail.ts';
import type { Ended, ProcessSpec, StopReason, Waits } from '../run-process.ts';

/** What Forge asks of the process that starts programs for it. */
export type ToSpawner =
  | { kind: 'run'; id: number; spec: ProcessSpec; waits: Waits; isFollowed: boolean }
  | { kind: 'stop'; id: number };

/** Why a program was stopped, without what only Forge itself knows about it. */
export interface EndedThere extends Omit<Ended, 'stopped'> {
  stopped: StopReason['kind'] | null;
}

export type FromSpawner =
  | { kind: 'ready' }
  | { kind: 'started'; id: number; pid: number }
  | { kind: 'output'; id: number; stream: StreamName; text: string }
  | { kind: 'ended'; id: number; ended: EndedThere }
  | { kind: 'not-started'; id: number; code: string; message: string };
