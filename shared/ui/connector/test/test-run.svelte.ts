import type { Static } from '@sinclair/typebox';
import type { TestAnswer } from '../../../api.ts';
import type { TestStep } from '../../../test-steps.ts';
import { isAbort, toApiError, type Api, type ApiError } from '../../api.ts';

type TestOutcome = Omit<Static<typeof TestAnswer>, 'steps'> & { steps: TestStep[] };

/** One press of Test: its steps as they come, and how it ended. */
export interface TestRun {
  readonly isRunning: boolean;
  readonly steps: readonly TestStep[];
  readonly outcome: TestOutcome | null;
  readonly error: ApiError | null;
  start(id: string, instance: string): Promise<void>;
  cancel(): void;
}

export function createTestRun(api: Api): TestRun {
  let steps = $state.raw<readonly TestStep[]>([]);
  let outcome = $state.raw<TestOutcome | null>(null);
  let error = $state.raw<ApiError | null>(null);
  let controller = $state.raw<AbortController | null>(null);

  async function start(id: string, instance: string): Promise<void> {
    controller?.abort();
    const own = new AbortController();
    controller = own;
    steps = [];
    outcome = null;
    error = null;
    const query = instance === '' ? '' : `?instance=${encodeURIComponent(instance)}`;
    try {
      await api.stream(
        `/api/connectors/${id}/test${query}`,
        {},
        {
          signal: own.signal,
          onEvent: (event, data) => {
            if (own.signal.aborted) return;
            // The server's own events, checked by its tests.
            if (event === 'step') steps = [...steps, data as TestStep];
            if (event === 'answer') outcome = data as TestOutcome;
          },
        },
      );
    } catch (failure) {
      if (!isAbort(failure) && controller === own) error = toApiError(failure);
    } finally {
      if (controller === own) controller = null;
    }
  }

  return {
    get isRunning() {
      return controller !== null;
    },
    get steps() {
      return steps;
    },
    get outcome() {
      return outcome;
    },
    get error() {
      return error;
    },
    start,
    cancel: () => {
      controller?.abort();
      controller = null;
      steps = [];
    },
  };
}
