import { isForgeError } from '../../shared/errors.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { Manage } from './manage.ts';
import { detailBody } from './view.ts';

/** Watches as MCP clients may read them and hear of them. */
export function watchesForMcp(watches: Pick<Manage, 'get'>, events: Pick<EventBus, 'listen'>) {
  return {
    read(id: string): { connectorId: string; json: string } | null {
      try {
        const detail = watches.get(id);
        return { connectorId: detail.watch.connectorId, json: JSON.stringify(detailBody(detail)) };
      } catch (error) {
        if (isForgeError(error, 'watch_not_found')) return null;
        throw error;
      }
    },
    onChange: (listener: (id: string) => void): (() => void) =>
      events.listen(({ event }) => {
        if ('watch_id' in event) listener(event.watch_id);
      }),
  };
}
