import { expect, it } from 'vitest';
import { shownMs } from '../../shown-ms.ts';
import { stepList } from './step-list.ts';

it('C-101 shows what is over, what is under way and what comes', () => {
  const steps = [
    { name: 'settings', ok: true, ms: 0.31 },
    { name: 'request', ok: true, ms: 12.4 },
  ] as const;
  expect(stepList(steps, true).map(({ label, state, time }) => [label, state, time])).toEqual([
    ['Settings', 'done', '0.3 ms'],
    ['Request', 'done', '12 ms'],
    ['Connect and wait', 'running', ''],
    ['Answer', 'waiting', ''],
  ]);
  const failed = [...steps, { name: 'answer', ok: false, ms: 1500 } as const];
  expect(stepList(failed, false).map(({ state }) => state)).toEqual(['done', 'done', 'failed', 'waiting']);
  expect(shownMs(1240)).toBe('1.2 s');
});
