import { expect, it } from 'vitest';
import { shownMs } from '../../shown-ms.ts';
import { httpSteps } from '../../../test-steps.ts';
import { stepList } from './step-list.ts';

it('C-101 shows what is over, what is under way and what comes', () => {
  const steps = [
    { name: 'settings', ok: true, ms: 0.31 },
    { name: 'request', ok: true, ms: 12.4 },
  ] as const;
  expect(stepList(steps, true).map(({ label, state, time }) => [label, state, time])).toEqual([
    ['Settings', 'done', '0.3 ms'],
    ['Request', 'done', '12 ms'],
    ['Answer', 'running', ''],
    ['Check', 'waiting', ''],
  ]);
  const failed = [...steps, { name: 'answer', ok: false, ms: 1500 } as const];
  expect(stepList(failed, false).map(({ state }) => state)).toEqual(['done', 'done', 'failed', 'waiting']);
  expect(shownMs(1240)).toBe('1.2 s');
});

it('C-101 tells the way to a service apart, a token that is exchanged included', () => {
  const steps = [
    { name: 'settings', ok: true, ms: 1 },
    { name: 'request', ok: true, ms: 1 },
    { name: 'auth', ok: true, ms: 1 },
    { name: 'resolve', ok: true, ms: 1 },
    { name: 'connect', ok: false, ms: 1 },
  ] as const;
  expect(stepList(steps, false, httpSteps(true)).map(({ label, state }) => `${label}: ${state}`)).toEqual([
    'Settings: done',
    'Request: done',
    'Token: done',
    'Resolve: done',
    'Connect: failed',
    'Answer: waiting',
    'Check: waiting',
  ]);
});
