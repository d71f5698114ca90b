import { isForgeError } from '../../shared/errors.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { WatchDetail } from '../../shared/watches-api.ts';
import { KEEP_MS, type Manage } from './manage.ts';
import { detailBody } from './view.ts';

/** Watches as MCP clients may read them and hear of them. */
export function watchesForMcp(watches: Pick<Manage, 'get' | 'cancel'>, events: Pick<EventBus, 'listen'>) {
  return {
    read(id: string): { connectorId: string; detail: WatchDetail } | null {
      try {
        const detail = watches.get(id);
        return { connectorId: detail.watch.connectorId, detail: detailBody(detail) };
      } catch (error) {
        if (isForgeError(error, 'watch_not_found')) return null;
        throw error;
      }
    },
    cancel: (id: string): void => void watches.cancel(id, 'the client that has started it has cancelled it'),
    keepMs: KEEP_MS,
    onChange: (listener: (id: string) => void): (() => void) =>
      events.listen(({ event }) => {
        if ('watch_id' in event) listener(event.watch_id);
      }),
  };
}
