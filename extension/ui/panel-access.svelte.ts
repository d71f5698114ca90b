import { untrack } from 'svelte';
import { isAbort, toApiError, type ApiError } from '../../shared/ui/api.ts';

/** `asking` until the first answer; `refused` while the person has not let this browser use Forge's API. */
type Access = { kind: 'asking' | 'allowed' | 'refused' } | { kind: 'failed'; error: ApiError };

/** Somebody who has just turned the switch on looks at the panel next. */
const AGAIN_MS = 2000;

/** Whether this browser may chat: asked once it is connected, and again for as long as the answer is no. */
export function createPanelAccess(isReady: () => boolean, ask: (signal: AbortSignal) => Promise<void>) {
  let access = $state.raw<Access>({ kind: 'asking' });
  let under = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    under.abort(new DOMException('no longer wanted', 'AbortError'));
  };
  const start = (): void => {
    stop();
    if (access.kind === 'allowed') return;
    const { signal } = (under = new AbortController());
    const end = (next: Access): void => {
      if (signal.aborted) return;
      access = next;
      if (next.kind !== 'allowed') timer = setTimeout(start, AGAIN_MS);
    };
    ask(signal).then(
      () => end({ kind: 'allowed' }),
      (failure: unknown) => {
        if (isAbort(failure)) return;
        const error = toApiError(failure);
        end(error.code === 'manage_not_allowed' ? { kind: 'refused' } : { kind: 'failed', error });
      },
    );
  };
  $effect(() => {
    if (!isReady()) return;
    untrack(start);
    return stop;
  });
  return {
    get now() {
      return access;
    },
    askAgain: start,
    /** Forge has said no to something else. */
    refused(): void {
      if (access.kind !== 'allowed') return;
      access = { kind: 'refused' };
      start();
    },
  };
}
