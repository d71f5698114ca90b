import { expect, it } from 'vitest';
import { asked, question, world } from './testing/world.ts';

it('K-10 a question of a call that waits is listed, and an answer to it reaches the call once', async () => {
  const { approvals } = await world();
  const heard: boolean[] = [];
  const { id } = approvals.put(question(), (approved) => heard.push(approved));
  expect(approvals.list({ status: 'pending' })).toMatchObject([{ id, kind: 'call', tool_id: 'jira.delete_issue' }]);
  approvals.decide(id, { decision: 'approve' });
  expect(heard).toEqual([true]);
  // The yes is used up: no other call of the same kind gets it.
  expect(approvals.find(id)?.status).toBe('used');
  expect(approvals.covers(question())).toBe(false);
});

it('K-10 a no reaches the call', async () => {
  const { approvals } = await world();
  const heard: boolean[] = [];
  const { id } = approvals.put(question(), (approved) => heard.push(approved));
  approvals.decide(id, { decision: 'deny' });
  expect(heard).toEqual([false]);
});

it('K-10 a question that its call has left is answered for the next call of the same kind', async () => {
  const { approvals } = await world();
  const heard: boolean[] = [];
  const open = approvals.put(question(), (approved) => heard.push(approved));
  open.leave();
  approvals.decide(open.id, { decision: 'approve' });
  expect(heard).toEqual([]);
  expect(approvals.covers(question({ approvalId: open.id }))).toBe(true);
});

it('K-10 a question that its call has left is put again for the next such call, and not twice', async () => {
  const { approvals } = await world();
  const heard: string[] = [];
  const first = approvals.put(question(), () => heard.push('first'));
  first.leave();
  const second = approvals.put(question(), () => heard.push('second'));
  expect([second.id, approvals.countPending()]).toEqual([first.id, 1]);
  approvals.decide(second.id, { decision: 'approve' });
  expect(heard).toEqual(['second']);
});

it('K-10 two calls that look alike have a question each', async () => {
  const { approvals } = await world();
  const heard: string[] = [];
  const one = approvals.put(question(), () => heard.push('one'));
  const other = approvals.put(question(), () => heard.push('other'));
  expect(one.id).not.toBe(other.id);
  approvals.decide(other.id, { decision: 'approve' });
  expect(heard).toEqual(['other']);
});

it.each([
  [true, 'used'],
  [false, 'denied'],
  [null, 'expired'],
] as const)('K-10 what was answered in the browser (%s) is %s here, and told', async (answer, status) => {
  const { approvals } = await world();
  const told: string[] = [];
  const open = approvals.put(question(), () => told.push('decided'));
  approvals.listen((approval) => told.push(approval.status));
  open.close(answer);
  open.close(null);
  expect([told, approvals.find(open.id)?.status]).toEqual([[status], status]);
  expect(() => approvals.decide(open.id, { decision: 'approve' })).toThrow();
  expect(asked(approvals.check(question()))).not.toBe(open.id);
});
