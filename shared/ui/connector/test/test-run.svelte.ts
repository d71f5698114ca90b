import type { Static } from '@sinclair/typebox';
import type { TestAnswer } from '../../../api.ts';
import type { TestStep } from '../../../test-steps.ts';
import type { Api, ApiError } from '../../api.ts';
import { createEventRun } from '../event-run.svelte.ts';

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
  const run = createEventRun(api);
  let steps = $state.raw<readonly TestStep[]>([]);
  let outcome = $state.raw<TestOutcome | null>(null);

  return {
    get isRunning() {
      return run.isRunning;
    },
    get steps() {
      return steps;
    },
    get outcome() {
      return outcome;
    },
    get error() {
      return run.error;
    },
    start(id, instance) {
      steps = [];
      outcome = null;
      const query = instance === '' ? '' : `?instance=${encodeURIComponent(instance)}`;
      return run.start(`/api/connectors/${id}/test${query}`, {}, (event, data) => {
        // The server's own events, checked by its tests.
        if (event === 'step') steps = [...steps, data as TestStep];
        if (event === 'answer') outcome = data as TestOutcome;
      });
    },
    cancel() {
      run.cancel();
      steps = [];
    },
  };
}
