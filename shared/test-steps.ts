/** What a connector's test goes through: read the settings, build the request, send it and wait, judge the answer. */
export const TEST_STEPS = ['settings', 'request', 'answer', 'result'] as const;

export interface TestStep {
  name: (typeof TEST_STEPS)[number];
  ok: boolean;
  ms: number;
}
