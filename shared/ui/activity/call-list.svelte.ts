import { untrack } from 'svelte';
import type { CallRow } from '../../calls-api.ts';
import { isAbort, toApiError, type Api, type ApiError } from '../api.ts';
import { mergeNewest } from './merge-calls.ts';

const PAGE = 50;

export interface CallList {
  /** The newest first; null until they were read. */
  readonly calls: readonly CallRow[] | null;
  readonly error: ApiError | null;
  readonly hasMore: boolean;
  readonly isReadingMore: boolean;
  /** Reads the page that follows. */
  more(): Promise<void>;
  /** Looks for new ones; what is shown stays. */
  refresh(): void;
}

/** The calls a query asks for, page by page; read again from the start when the query changes. */
export function createCallList(api: Api, query: () => URLSearchParams): CallList {
  let calls = $state.raw<readonly CallRow[] | null>(null);
  let error = $state.raw<ApiError | null>(null);
  let hasMore = $state(false);
  let isReadingMore = $state(false);
  let under = new AbortController();

  const read = async (params: URLSearchParams, before?: number): Promise<CallRow[]> => {
    params.set('limit', String(PAGE));
    if (before !== undefined) params.set('before', String(before));
    const answer = await api.get<{ calls: CallRow[] }>(`/api/calls?${params.toString()}`, { signal: under.signal });
    return answer.calls;
  };
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      error = null;
    } catch (failure) {
      if (!isAbort(failure)) error = toApiError(failure);
    }
  };
  const refresh = (params: URLSearchParams): Promise<void> =>
    attempt(async () => {
      const page = await read(params);
      const known = calls ?? [];
      calls = mergeNewest(known, page, page.length < PAGE);
      // Older pages that were kept have been counted before.
      if (calls.length === page.length) hasMore = page.length === PAGE;
    });

  $effect(() => {
    const params = query();
    under = new AbortController();
    untrack(() => {
      calls = null;
      void refresh(params);
    });
    return () => under.abort(new DOMException('no longer wanted', 'AbortError'));
  });

  return {
    get calls() {
      return calls;
    },
    get error() {
      return error;
    },
    get hasMore() {
      return hasMore;
    },
    get isReadingMore() {
      return isReadingMore;
    },
    async more() {
      const last = calls?.at(-1);
      if (last === undefined) return;
      isReadingMore = true;
      await attempt(async () => {
        const page = await read(query(), last.seq);
        calls = [...(calls ?? []), ...page];
        hasMore = page.length === PAGE;
      });
      isReadingMore = false;
    },
    refresh: () => untrack(() => void refresh(query())),
  };
}
