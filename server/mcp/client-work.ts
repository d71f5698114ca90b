import { Readable } from 'node:stream';
import { Stop } from '../../shared/stop-signal.ts';
import type { McpReply, McpRequest } from './reply.ts';

type Post = (request: McpRequest) => McpReply | Promise<McpReply>;

/** What named clients have under way outside of a session, so that a client that is taken back is stopped there as well. */
export function createClientWork() {
  const byClient = new Map<string, Set<Stop>>();

  const begin = (clientId: string): { stop: Stop; end: () => void } => {
    const stop = new Stop();
    const own = byClient.get(clientId) ?? new Set();
    byClient.set(clientId, own.add(stop));
    const end = (): void => {
      own.delete(stop);
      if (own.size === 0 && byClient.get(clientId) === own) byClient.delete(clientId);
    };
    return { stop, end };
  };

  return {
    /** Answers a request of a client, until it has its answer or is taken back. */
    async follow(clientId: string, request: McpRequest, post: Post): Promise<McpReply> {
      const { stop, end } = begin(clientId);
      const signal = (): Stop => {
        const outer = request.signal();
        const leave = (): void => stop.abort(outer.reason);
        if (outer.aborted) leave();
        else outer.addEventListener('abort', leave, { once: true });
        return stop;
      };
      try {
        const reply = await post({ ...request, signal });
        if (reply.body instanceof Readable) reply.body.once('close', end);
        else end();
        return reply;
      } catch (failure) {
        end();
        throw failure;
      }
    },
    stopOf(clientId: string, reason: Error): void {
      for (const stop of byClient.get(clientId) ?? []) stop.abort(reason);
    },
  };
}
