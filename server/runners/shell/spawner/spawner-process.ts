// Runs as a small process of its own: starts the programs it is told to, and says how each ended. Without Forge nothing of it is left.
import { Stop } from '../../../../shared/stop-signal.ts';
import { posixGroup } from '../process-group.ts';
import { codeOf, realAfter, runProcess } from '../run-process.ts';
import type { FromSpawner, ToSpawner } from './messages.ts';

const underWay = new Map<number, Stop>();

function tell(message: FromSpawner): void {
  // Forge may be gone, and this the first to notice: an error here would leave what is under way running.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

async function run({ id, spec, waits, isFollowed }: Extract<ToSpawner, { kind: 'run' }>): Promise<void> {
  const signal = new Stop();
  underWay.set(id, signal);
  const onOutput = (stream: 'stdout' | 'stderr', text: string): void => tell({ kind: 'output', id, stream, text });
  try {
    const limits = { ...waits, after: realAfter, groupOf: posixGroup };
    const { stopped, ...ended } = await runProcess(spec, limits, { signal, ...(isFollowed ? { onOutput } : {}) });
    tell({ kind: 'ended', id, ended: { ...ended, stopped: stopped?.kind ?? null } });
  } catch (error) {
    tell({ kind: 'not-started', id, code: codeOf(error), message: error instanceof Error ? error.message : '' });
  } finally {
    underWay.delete(id);
    if (underWay.size === 0 && !process.connected) process.exit();
  }
}

process.on('message', (message: ToSpawner) => {
  if (message.kind === 'run') void run(message);
  else underWay.get(message.id)?.abort(null);
});
process.on('disconnect', () => {
  for (const stop of underWay.values()) stop.abort(null);
  if (underWay.size === 0) process.exit();
});
tell({ kind: 'ready' });
