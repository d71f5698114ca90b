import type { Static } from '@sinclair/typebox';
import type { TestAnswer } from '../../../api.ts';
import { TEST_STEPS, type StepName, type TestStep } from '../../../test-steps.ts';
import { ApiError, type Api } from '../../api.ts';
import { errorOf } from '../../read-answer.ts';
import { createEventRun } from '../event-run.svelte.ts';

type TestOutcome = Omit<Static<typeof TestAnswer>, 'steps' | 'plan'> & { steps: TestStep[]; plan: StepName[] };

const CUT = {
  code: 'bridge_offline',
  message: 'The test was cut off before it had an answer',
  hint: 'See whether Forge still runs, then test again.',
};

/** One press of Test: its steps as they come, and how it ended. */
export interface TestRun {
  readonly isRunning: boolean;
  readonly steps: readonly TestStep[];
  /** All it goes through. */
  readonly plan: readonly StepName[];
  readonly outcome: TestOutcome | null;
  readonly error: ApiError | null;
  start(id: string, instance: string): Promise<void>;
  cancel(): void;
}

export function createTestRun(api: Api): TestRun {
  const run = createEventRun(api);
  let steps = $state.raw<readonly TestStep[]>([]);
  let plan = $state.raw<readonly StepName[]>(TEST_STEPS);
  let outcome = $state.raw<TestOutcome | null>(null);

  return {
    get isRunning() {
      return run.isRunning;
    },
    get steps() {
      return steps;
    },
    get plan() {
      return plan;
    },
    get outcome() {
      return outcome;
    },
    get error() {
      return run.error;
    },
    async start(id, instance) {
      steps = [];
      plan = TEST_STEPS;
      outcome = null;
      const heard = { answer: false };
      const query = instance === '' ? '' : `?instance=${encodeURIComponent(instance)}`;
      const isOver = await run.start(`/api/connectors/${id}/test${query}`, {}, (event, data) => {
        // The server's own events, checked by its tests.
        if (event === 'plan') plan = data as StepName[];
        if (event === 'step') steps = [...steps, data as TestStep];
        if (event === 'error') run.fail(errorOf(500, data));
        if (event === 'answer') {
          heard.answer = true;
          outcome = data as TestOutcome;
          ({ plan } = outcome);
        }
      });
      // A stream that just ends has told nothing.
      if (isOver && !heard.answer && run.error === null) run.fail(new ApiError(0, CUT));
    },
    cancel() {
      run.cancel();
      steps = [];
    },
  };
}
