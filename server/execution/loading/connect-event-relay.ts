import type { EventBus } from '../adapter.ts';
import type { Loaded } from './load-adapters.ts';

/** From now on what adapters tell arrives at the bus. Called once, when the server listens. */
export function connectEventRelay(loaded: readonly Loaded[], bus: EventBus): void {
  for (const entry of loaded) {
    if (!('adapter' in entry)) continue;
    const { adapter } = entry;
    if (adapter.startEventRelay === undefined) adapter.onEvent?.((event) => bus.publish(event));
    else adapter.startEventRelay(bus);
  }
}
