import type { Static } from '@sinclair/typebox';
import type { ChatSession, SessionsAnswer } from '../../chat-api.ts';
import type { Api, ApiError } from '../api.ts';
import { soon } from '../follow-events.ts';
import { resource } from '../resource.svelte.ts';

/** The conversations there are, the latest first. */
export interface Sessions {
  /** Null until they are read. */
  readonly list: readonly ChatSession[] | null;
  readonly error: ApiError | null;
  search: string;
  readonly hasMore: boolean;
  more(): void;
  reload(): void;
  /** Reads them again soon, once for many reasons. */
  refresh(): void;
}

const PAGE = 50;
const MOST = 950;
const TYPED_MS = 200;

export function createSessions(api: Api): Sessions {
  let search = $state('');
  let asked = $state('');
  let limit = $state(PAGE);
  const found = resource((signal) => {
    const query = new URLSearchParams({ limit: String(limit), ...(asked === '' ? {} : { search: asked }) });
    return api.get<Static<typeof SessionsAnswer>>(`/api/chat/sessions?${query.toString()}`, { signal });
  });
  const refresh = soon(() => found.reload());
  // One that nothing was said in yet is nobody's concern.
  const list = $derived(
    found.value?.sessions.filter(({ message_count: count, title }) => count > 0 || title !== '') ?? null,
  );
  $effect(() => {
    const next = search.trim();
    const timer = setTimeout(() => (asked = next), TYPED_MS);
    return () => clearTimeout(timer);
  });
  $effect(() => () => refresh.stop());
  return {
    get list() {
      return list;
    },
    get error() {
      return found.error;
    },
    get search() {
      return search;
    },
    set search(next) {
      search = next;
    },
    get hasMore() {
      return limit < MOST && (found.value?.sessions.length ?? 0) >= limit;
    },
    more: () => (limit += PAGE),
    reload: () => found.reload(),
    refresh: () => refresh.ask(),
  };
}
