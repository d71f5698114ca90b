import { TEST_STEPS, type StepName, type TestStep } from '../../../test-steps.ts';
import { shownMs } from '../../shown-ms.ts';

export interface ShownStep {
  label: string;
  state: 'done' | 'failed' | 'running' | 'waiting';
  /** How long it took; empty until it has ended. */
  time: string;
}

const LABELS: Record<StepName, string> = {
  settings: 'Settings',
  request: 'Request',
  auth: 'Token',
  resolve: 'Resolve',
  connect: 'Connect',
  answer: 'Answer',
  result: 'Check',
};

/** All steps of a test: what is over, what is under way, what is still to come. */
export function stepList(
  steps: readonly TestStep[],
  isRunning: boolean,
  plan: readonly StepName[] = TEST_STEPS,
): ShownStep[] {
  return plan.map((name, index) => {
    const step = steps[index];
    if (step !== undefined) return { label: LABELS[name], state: step.ok ? 'done' : 'failed', time: shownMs(step.ms) };
    return { label: LABELS[name], state: isRunning && index === steps.length ? 'running' : 'waiting', time: '' };
  });
}
