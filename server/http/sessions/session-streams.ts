import type { Readable } from 'node:stream';

/** What pages listen to, by their session. */
export function createSessionStreams() {
  const streams = new Map<string, Set<Readable>>();
  const end = (sessionId: string): void => {
    const open = streams.get(sessionId);
    streams.delete(sessionId);
    for (const stream of open ?? []) stream.destroy();
  };
  return {
    add(sessionId: string, stream: Readable): void {
      const open = streams.get(sessionId) ?? new Set();
      streams.set(sessionId, open.add(stream));
      stream.once('close', () => {
        open.delete(stream);
        if (open.size === 0 && streams.get(sessionId) === open) streams.delete(sessionId);
      });
    },
    end,
    endAll(): void {
      for (const id of [...streams.keys()]) end(id);
    },
  };
}
