/** What a connector's test goes through: read the settings, build the request, send it and wait, judge the answer. */
export const TEST_STEPS = ['settings', 'request', 'answer', 'result'] as const;

/** What can be told of the way to a service: its name is resolved, a connection is there, a token was exchanged. */
const WAY = ['resolve', 'connect'] as const;

export type StepName = (typeof TEST_STEPS)[number] | (typeof WAY)[number] | 'auth';

export interface TestStep {
  name: StepName;
  ok: boolean;
  ms: number;
}

/** The steps of a test that sends a request; a token that has to be exchanged first is a step of its own. */
export function httpSteps(hasExchange: boolean): readonly StepName[] {
  const [settings, request, answer, result] = TEST_STEPS;
  return [settings, request, ...(hasExchange ? (['auth'] as const) : []), ...WAY, answer, result];
}
