import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { ForgeError } from '../../../../shared/errors.ts';
import type { StartProgram } from '../run-process.ts';
import { Helper } from './helper.ts';
import type { ProgramRecord } from './program-record.ts';

interface SpawnerOptions {
  /** The code of the other process. */
  script: URL;
  /** Where it is written down which programs are this Forge's. */
  record: ProgramRecord;
  /** Where Windows is; empty elsewhere. */
  systemRoot?: string;
  /** One that had nothing to do for so long goes; a later program starts another. */
  idleMs?: number;
}

export interface Spawner {
  run: StartProgram;
  /** Resolves when no process of it is left. */
  close: () => Promise<void>;
}

const IDLE_MS = 60_000;

/**
 * Starts every program by a small process, never by Forge itself. To start a program, Linux copies the table of all memory that the starting
 * process has, while nothing else in it can happen: 2 ms for a small process and 10 for a large one. And when Forge dies, that process ends
 * what runs.
 */
export function createSpawner({ script, record, systemRoot = '', idleMs = IDLE_MS }: SpawnerOptions): Spawner {
  const forge = randomBytes(16).toString('hex');
  const closing = new Set<Promise<void>>();
  let helper: Helper | null = null;
  let helpers = 0;
  let isClosed = false;
  let idle: NodeJS.Timeout | null = null;
  const rest = (): void => {
    if (helper === null) return;
    const gone = helper.close();
    closing.add(gone);
    void gone.then(() => closing.delete(gone));
    helper = null;
  };
  const restLater = (): void => {
    if (idle !== null) clearTimeout(idle);
    if (!isClosed) idle = setTimeout(rest, idleMs).unref();
  };
  const current = (): Helper => {
    if (helper?.isUsable === true) return helper;
    if (isClosed) throw new ForgeError('shutting_down', 'Forge is stopping and starts no more programs');
    if (!existsSync(script)) {
      throw new ForgeError('spawner_unavailable', `programs cannot be started: ${script.pathname} is missing`, {
        hint: 'Install Forge again, or build it: npm run build',
      });
    }
    helpers += 1;
    helper = new Helper({ script, mark: `${forge}.${helpers}.`, systemRoot });
    // While it starts: from the first program on, a later Forge must know what to look for.
    if (helpers === 1) record.write(`${forge}.`);
    return helper;
  };
  return {
    run: async (spec, limits, context) => {
      const started = current();
      try {
        return await started.run(spec, limits, context);
      } finally {
        restLater();
      }
    },
    close: async () => {
      isClosed = true;
      if (idle !== null) clearTimeout(idle);
      rest();
      await Promise.all(closing);
      if (helpers > 0) record.clear();
    },
  };
}
