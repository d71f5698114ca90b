import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../store/database.ts';
import { createApprovals, type CallQuestion } from './approvals.ts';
import type { StandingLimits } from './standing.ts';
import { asAccepted, asked, question, withArgs, world } from './testing/world.ts';

describe('a standing approval', () => {
  async function granted(standing: StandingLimits) {
    const made = await world();
    const { approvals } = made;
    const first = withArgs({ project: 'first' });
    approvals.decide(asked(approvals.check(first)), { decision: 'approve', standing });
    expect(approvals.check(first)).toEqual({ allowed: true, by: 'approval' });
    const isAllowed = (args: Parameters<typeof withArgs>[0], changes: Partial<CallQuestion> = {}) =>
      approvals.check({ ...withArgs(args), ...changes }).allowed;
    return { ...made, isAllowed };
  }

  it('covers any arguments of its tool when it names none', async () => {
    const { approvals, isAllowed } = await granted({ max_uses: 9 });
    expect(approvals.check(withArgs({ n: 1 }))).toEqual({ allowed: true, by: 'standing' });
    expect(isAllowed({ n: 2 }, { caller: 'mcp' })).toBe(true);
    expect(isAllowed({ n: 3 }, { toolId: 'jira.delete_project' })).toBe(false);
    expect(approvals.listStanding(asAccepted)).toMatchObject([
      { tool_id: 'jira.delete_issue', conditions: {}, remaining: 7, until: null, used: 2, active: true },
    ]);
  });

  it.each([
    ['the value', { project: 'A' }, true],
    ['the value beside others', { project: 'A', n: 1 }, true],
    ['another value', { project: 'B' }, false],
    ['a longer value', { project: 'AB' }, false],
    ['no value', { n: 1 }, false],
    ['a list that holds the value', { project: [1] }, false],
  ])('covers one value of an argument: %s', async (_, args, allowed) => {
    const { isAllowed } = await granted({ conditions: { project: 'A' }, max_uses: 9 });
    expect(isAllowed(args)).toBe(allowed);
  });

  it.each([
    ['the first', { n: 1, deep: true }, true],
    ['the second', { n: '2', deep: true }, true],
    ['the same number as text', { n: '1', deep: true }, false],
    ['a list argument', { n: [7, 8], deep: true }, true],
    ['a good value, but not of the other argument', { n: 1, deep: false }, false],
  ])('covers a list of values: %s', async (_, args, allowed) => {
    const { isAllowed } = await granted({ conditions: { n: [1, '2', [7, 8]], deep: true }, max_uses: 9 });
    expect(isAllowed(args)).toBe(allowed);
  });

  it('covers as many later calls as it says, and asks again after that', async () => {
    const { approvals, isAllowed } = await granted({ max_uses: 2 });
    expect([isAllowed({ n: 1 }), isAllowed({ n: 2 }), isAllowed({ n: 3 })]).toEqual([true, true, false]);
    expect(approvals.listStanding(asAccepted)).toMatchObject([{ remaining: 0, used: 2, active: false }]);
  });

  it('is not used up by calls it does not cover', async () => {
    const { approvals, isAllowed } = await granted({ max_uses: 1, conditions: { project: 'A' } });
    expect([isAllowed({ project: 'B' }), isAllowed({ project: 'A' })]).toEqual([false, true]);
    expect(approvals.listStanding(asAccepted)).toMatchObject([{ used: 1 }]);
  });

  it('counts two that race for its last use', async () => {
    const { file, now, isAllowed } = await granted({ max_uses: 1 });
    const otherDb = await openDatabase(file);
    onTestFinished(() => otherDb.close());
    const other = createApprovals({ db: otherDb, now });
    expect([isAllowed({ n: 1 }), other.check(withArgs({ n: 2 })).allowed]).toEqual([true, false]);
  });

  it('ends when its time is over', async () => {
    const { clock, approvals, isAllowed } = await granted({ until: '2026-03-01T14:00:00+01:00' });
    clock.now = Date.parse('2026-03-01T12:59:59.999Z');
    expect(isAllowed({ n: 1 })).toBe(true);
    clock.now += 1;
    expect(isAllowed({ n: 2 })).toBe(false);
    expect(approvals.listStanding(asAccepted)).toMatchObject([{ until: '2026-03-01T13:00:00.000Z', active: false }]);
  });

  it('can be taken back', async () => {
    const { approvals, isAllowed } = await granted({ max_uses: 9 });
    const [standing] = approvals.listStanding(asAccepted);
    approvals.removeStanding(standing!.id);
    expect(isAllowed({ n: 1 })).toBe(false);
    expect(() => approvals.removeStanding(standing!.id)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  it.each([
    ['no limit', 'approve', {}],
    ['conditions alone', 'approve', { conditions: { n: 1 } }],
    ['no uses', 'approve', { max_uses: 0 }],
    ['half a use', 'approve', { max_uses: 1.5 }],
    ['a time that has passed', 'approve', { until: '2026-03-01T12:00:00Z' }],
    ['a time that is none', 'approve', { until: 'tomorrow' }],
    ['conditions that are a list', 'approve', { conditions: ['a'] as never, max_uses: 1 }],
    ['a no', 'deny', {}],
  ] as const)('is refused with %s, and nothing is decided', async (_, decision, standing) => {
    const { approvals } = await world();
    const id = asked(approvals.check(question()));
    expect(() => approvals.decide(id, { decision, standing })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    expect(approvals.list()).toMatchObject([{ status: 'pending' }]);
    expect(approvals.listStanding(asAccepted)).toEqual([]);
  });

  it('is refused for a host, which is remembered anyway', async () => {
    const { approvals } = await world();
    const id = asked(approvals.hostCheck({ ...question(), host: 'a.example' }));
    expect(() => approvals.decide(id, { decision: 'approve', standing: {} })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    expect(approvals.listHosts('jira')).toEqual([]);
  });
});

describe('a standing approval of one conversation', () => {
  const inSession = (sessionId: string | null, readFrom: string[] | null = null) => question({ sessionId, readFrom });

  it('covers its calls, and no others', async () => {
    const { approvals } = await world();
    const id = asked(approvals.check(inSession('sess_a')));
    expect(() => approvals.decide(id, { decision: 'approve', standing: { session_id: 'sess_b' } })).toThrow(
      'another conversation',
    );
    approvals.decide(id, { decision: 'approve', standing: { session_id: 'sess_a' } });
    expect(approvals.check(inSession('sess_a'))).toEqual({ allowed: true, by: 'approval' });
    expect(approvals.check(inSession('sess_a'))).toEqual({ allowed: true, by: 'standing' });
    expect(approvals.check(inSession('sess_b')).allowed).toBe(false);
    expect(approvals.check(inSession(null)).allowed).toBe(false);
    approvals.forgetSession('sess_a');
    expect(approvals.check(inSession('sess_a')).allowed).toBe(false);
  });

  it('covers a call that other sites may have led to only when it was given knowing of all of them', async () => {
    const { approvals } = await world();
    approvals.allow(question(), { max_uses: 10 });
    approvals.allow(question(), { session_id: 'sess_a' });
    const id = asked(approvals.check(inSession('sess_a', ['b.example', 'a.example'])));
    expect(approvals.list()[0]).toMatchObject({ session_id: 'sess_a', read_from: ['a.example', 'b.example'] });
    expect(() => approvals.decide(id, { decision: 'approve', standing: { max_uses: 5 } })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    expect(approvals.list()[0]).toMatchObject({ id, status: 'pending' });
    approvals.decide(id, { decision: 'approve', standing: { session_id: 'sess_a' } });
    approvals.check(inSession('sess_a', ['a.example', 'b.example']));
    expect(approvals.check(inSession('sess_a', ['b.example']))).toEqual({ allowed: true, by: 'standing' });
    expect(approvals.check(inSession('sess_a', ['b.example', 'c.example'])).allowed).toBe(false);
    expect(approvals.check(inSession('sess_b', ['b.example'])).allowed).toBe(false);
    const any = asked(approvals.check(inSession('sess_a', ['*.example'])));
    approvals.decide(any, { decision: 'approve', standing: { session_id: 'sess_a' } });
    approvals.check(inSession('sess_a', ['*.example']));
    expect(approvals.check(inSession('sess_a', ['*.example'])).allowed).toBe(false);
  });

  it('is told when somebody is asked, answers, and when the question is withdrawn', async () => {
    const { approvals } = await world();
    const heard: string[] = [];
    const silence = approvals.listen(({ status }) => heard.push(status));
    approvals.decide(asked(approvals.check(inSession('sess_a'))), { decision: 'deny' });
    const id = asked(approvals.check(inSession('sess_a')));
    approvals.withdraw(id);
    expect(() => approvals.decide(id, { decision: 'approve' })).toThrow('has expired');
    silence();
    approvals.check(inSession('sess_c'));
    expect(heard).toEqual(['pending', 'denied', 'pending', 'expired']);
  });
});
