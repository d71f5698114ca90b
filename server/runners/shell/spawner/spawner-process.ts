// Runs as a small process of its own: starts the programs it is told to, and says how each ended. Without Forge nothing of it is left.
import { setTimeout as wait } from 'node:timers/promises';
import { Stop } from '../../../../shared/stop-signal.ts';
import { endMarked } from '../marked-processes.ts';
import { runMarked, StartedPrograms } from '../run-marked.ts';
import { codeOf, realAfter } from '../run-process.ts';
import { cgroupFor, endCgroup, enterCgroup, leaveCgroup } from './cgroup.ts';
import { END_PROGRAMS, startGuardian } from './guardian.ts';
import type { FromSpawner, ToSpawner } from './messages.ts';

const LOOK_AGAIN_MS = 20;
const MAX_LOOKS = 250;
/** Forge needs the number of a program only if this process dies before it; most have ended by then, and a message costs as much as they do. */
const TELL_STARTED_MS = 50;

const [, , order = '', first = '', second = ''] = process.argv;
if (order === END_PROGRAMS) await endPrograms(first, second);
else serve(order, first);

function serve(mark: string, systemRoot: string): void {
  const underWay = new Map<number, Stop>();
  const started = new StartedPrograms();
  const release = guard(mark);

  const tell = (message: FromSpawner): void => {
    // Forge may be gone, and this the first to notice: an error here would leave what is under way running.
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
  };
  const endIfDone = (): void => {
    if (underWay.size > 0 || process.connected) return;
    endMarked(mark);
    release(() => process.exit());
  };
  const run = async ({ id, spec, waits, isFollowed }: Extract<ToSpawner, { kind: 'run' }>): Promise<void> => {
    const signal = new Stop();
    underWay.set(id, signal);
    const onOutput = (stream: 'stdout' | 'stderr', text: string): void => tell({ kind: 'output', id, stream, text });
    let late: NodeJS.Timeout | undefined;
    const onStart = (pid: number): void => {
      late = setTimeout(() => tell({ kind: 'started', id, pid }), TELL_STARTED_MS);
    };
    try {
      const marked = { mark: `${mark}${id}.`, systemRoot, started, onStart };
      const context = { signal, ...(isFollowed ? { onOutput } : {}) };
      const { stopped, ...ended } = await runMarked(marked, spec, { ...waits, after: realAfter }, context);
      tell({ kind: 'ended', id, ended: { ...ended, stopped: stopped?.kind ?? null } });
    } catch (error) {
      tell({ kind: 'not-started', id, code: codeOf(error), message: error instanceof Error ? error.message : '' });
    } finally {
      clearTimeout(late);
      underWay.delete(id);
      endIfDone();
    }
  };

  process.on('message', (message: ToSpawner) => {
    if (message.kind === 'stop') underWay.get(message.id)?.abort(null);
    // Of a Forge that is gone nothing is started any more.
    else if (process.connected) void run(message);
  });
  process.on('disconnect', () => {
    for (const stop of underWay.values()) stop.abort(null);
    endIfDone();
  });
  tell({ kind: 'ready' });
}

/** Makes sure that the programs end even if this process does not get to it. What is returned ends that, once none is left. */
function guard(mark: string): (released: () => void) => void {
  if (process.platform === 'win32') return (released) => released();
  const folder = cgroupFor(`forge-${mark}`);
  let isReleased = false;
  let guardian = startGuardian([mark, folder ?? '']);
  const replace = (): void => {
    if (isReleased) return;
    guardian = startGuardian([mark, folder ?? '']);
    guardian.once('exit', replace);
  };
  // Without it a program could outlive Forge: then nothing is started at all.
  if (guardian.pid === undefined) process.exit(1);
  guardian.once('exit', replace);
  // The guardian is not in it, so that it can end it.
  const isInGroup = folder !== null && enterCgroup(folder);
  return (released) => {
    if (isReleased) return;
    isReleased = true;
    if (isInGroup) leaveCgroup(folder);
    // A group that something is left in is the guardian's to end.
    if (isInGroup && !endCgroup(folder)) released();
    else guardian.once('exit', released).kill('SIGKILL');
  };
}

/** The last act of the guardian: looks until nothing is found any more. */
async function endPrograms(mark: string, cgroup: string): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const isGone = cgroup === '' || endCgroup(cgroup);
    if (endMarked(mark) === 0 && isGone) return;
    await wait(LOOK_AGAIN_MS);
  }
}
