import { untrack } from 'svelte';
import { toApiError, type ApiError } from './api.ts';

export interface Resource<T> {
  /** What was read last; stays while it is read again. */
  readonly value: T | null;
  readonly error: ApiError | null;
  readonly isLoading: boolean;
  reload(): void;
  /** Puts in what a change has answered, without asking again. */
  set(value: T): void;
}

/** Something a view reads from the server; read again when what `read` depends on changes, given up when the view goes away. */
export function resource<T>(read: (signal: AbortSignal) => Promise<T>): Resource<T> {
  let value = $state.raw<T | null>(null);
  let error = $state.raw<ApiError | null>(null);
  let isLoading = $state(true);
  let under: AbortController | null = null;
  const stop = (): void => under?.abort(new DOMException('no longer wanted', 'AbortError'));
  const start = (): void => {
    stop();
    const { signal } = (under = new AbortController());
    isLoading = true;
    const end = (done: () => void) => {
      if (signal.aborted) return;
      done();
      isLoading = false;
    };
    read(signal).then(
      (found) =>
        end(() => {
          value = found;
          error = null;
        }),
      (failure: unknown) => end(() => (error = toApiError(failure))),
    );
  };
  $effect(() => {
    start();
    return stop;
  });
  return {
    get value() {
      return value;
    },
    get error() {
      return error;
    },
    get isLoading() {
      return isLoading;
    },
    reload: () => untrack(start),
    set: (next) => (value = next),
  };
}
