import { isAbort, toApiError, type Api, type ApiError } from '../api.ts';

/** Something that runs on the server and tells by events how it goes. */
export interface EventRun {
  readonly isRunning: boolean;
  /** Why it could not be followed to its end. */
  readonly error: ApiError | null;
  /** Starts it; what was running before is given up. True when it came to an end of its own, false when it was given up. */
  start(path: string, body: unknown, onEvent: (event: string, data: unknown) => void): Promise<boolean>;
  /** Gives it up, if it runs. */
  cancel(): void;
  /** For an error that comes as an event. */
  fail(error: ApiError | null): void;
}

export function createEventRun(api: Api): EventRun {
  let controller = $state.raw<AbortController | null>(null);
  let error = $state.raw<ApiError | null>(null);
  const cancel = (): void => {
    controller?.abort();
    controller = null;
  };
  return {
    get isRunning() {
      return controller !== null;
    },
    get error() {
      return error;
    },
    async start(path, body, onEvent) {
      cancel();
      error = null;
      const own = new AbortController();
      controller = own;
      try {
        await api.stream(path, body, {
          signal: own.signal,
          onEvent: (event, data) => {
            if (!own.signal.aborted) onEvent(event, data);
          },
        });
      } catch (failure) {
        if (!isAbort(failure) && controller === own) error = toApiError(failure);
      }
      if (controller !== own) return false;
      controller = null;
      return true;
    },
    cancel,
    fail: (given) => (error = given),
  };
}
