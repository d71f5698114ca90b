import { isAbort, toApiError, type Api, type ApiError } from '../api.ts';

/** Something that runs on the server and tells by events how it goes. */
export interface EventRun {
  readonly isRunning: boolean;
  /** Why it could not be followed to its end. */
  readonly error: ApiError | null;
  /** Starts it; what was running before is given up. */
  start(path: string, body: unknown, onEvent: (event: string, data: unknown) => void): Promise<void>;
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
      } finally {
        if (controller === own) controller = null;
      }
    },
    cancel,
    fail: (given) => (error = given),
  };
}
