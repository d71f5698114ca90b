import { expect, it, onTestFinished } from 'vitest';
import { tellWaiting } from './tell-waiting.ts';
import { asked, question, withArgs, world } from './testing/world.ts';

const START = Date.parse('2026-03-01T12:00:00Z');

it('K-10 says how many calls wait, and tells of each question once', async () => {
  const { approvals } = await world();
  const counts: number[] = [];
  const notices: string[] = [];
  const deps = {
    approvals,
    tell: (count: number) => void counts.push(count),
    notify: ({ id }: { id: string }) => void notices.push(id),
  };
  onTestFinished(tellWaiting({ ...deps, now: () => START }));
  const first = asked(approvals.check(question()));
  const second = asked(approvals.check(withArgs({ n: 2 })));
  approvals.check(question());
  approvals.decide(first, { decision: 'deny' });
  approvals.decide(second, { decision: 'approve' });
  expect([counts, notices]).toEqual([
    [1, 2, 1, 0],
    [first, second],
  ]);
});
