import type { Static } from '@sinclair/typebox';
import type { ForgeEvent } from '../../events.ts';
import type { WatchesAnswer, WatchSummary } from '../../watches-api.ts';
import type { Api, ApiError } from '../api.ts';
import { soon } from '../follow-events.ts';
import { resource } from '../resource.svelte.ts';
import { isActive } from '../watches/watch-words.ts';
import { watchesByCall } from './watches-by-call.ts';

/** What a conversation has left going in the background. */
export interface SessionWatches {
  readonly list: readonly WatchSummary[];
  readonly error: ApiError | null;
  readonly activeCount: number;
  /** By the call that has begun them, or the chain that they are a link of. */
  readonly byCall: ReadonlyMap<string, WatchSummary>;
  reload(): void;
  take(event: ForgeEvent): void;
}

export function createSessionWatches(api: Api, sessionId: () => string | null): SessionWatches {
  const found = resource(async (signal): Promise<readonly WatchSummary[]> => {
    const id = sessionId();
    if (id === null) return [];
    const query = new URLSearchParams({ session: id });
    return (await api.get<Static<typeof WatchesAnswer>>(`/api/watches?${query.toString()}`, { signal })).watches;
  });
  const again = soon(() => found.reload());
  const list = $derived(found.value?.filter((watch) => watch.session_id === sessionId()) ?? []);
  const byCall = $derived(watchesByCall(list));
  $effect(() => () => again.stop());
  return {
    get list() {
      return list;
    },
    get error() {
      return found.error;
    },
    get activeCount() {
      return list.filter(({ state }) => isActive(state)).length;
    },
    get byCall() {
      return byCall;
    },
    reload: () => found.reload(),
    take(event) {
      if ('watch_id' in event && event.session_id === sessionId()) again.ask();
    },
  };
}
