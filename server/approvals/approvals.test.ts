import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../store/database.ts';
import { failingDatabase } from '../store/testing/failing-database.ts';
import { createApprovals, type CallQuestion, type Verdict } from './approvals.ts';
import { asAccepted, asked, question, withArgs, world } from './testing/world.ts';

const MINUTE = 60_000;

describe('a call that needs a yes', () => {
  it('K-10 is kept as a question, with masked arguments', async () => {
    const { db, approvals } = await world();
    const verdict = approvals.check(question());
    const approval = {
      id: 'apr_0000000000000001',
      kind: 'call',
      tool_id: 'jira.delete_issue',
      connector_id: 'jira',
      args: { key: 'ABC-1', note: 'my password is [secret]' },
      host: null,
      caller: 'http',
      reason: 'It deletes something.',
      status: 'pending',
      created_at: '2026-03-01T12:00:00.000Z',
      expires_at: '2026-03-01T12:10:00.000Z',
      decided_at: null,
      decided_by: null,
      session_id: null,
      read_from: null,
    };
    expect(verdict).toEqual({ allowed: false, approval });
    expect(approvals.list()).toEqual([approval]);
    expect(JSON.stringify(db.prepare('SELECT * FROM approvals').all())).not.toContain('hunter2');
  });

  it('has ids that differ and cannot be guessed when nobody says otherwise', async () => {
    const { db } = await world();
    const approvals = createApprovals({ db });
    const ids = [1, 2, 3].map((n) => asked(approvals.check(withArgs({ n }))));
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^apr_[0-9a-f]{16}$/);
  });

  it('is asked once, however often the same call is repeated', async () => {
    const { approvals } = await world();
    const id = asked(approvals.check(question()));
    expect(asked(approvals.check(question()))).toBe(id);
    expect(asked(approvals.check(question({ approvalId: id })))).toBe(id);
    expect(approvals.list({ status: 'pending' })).toHaveLength(1);
    expect(asked(approvals.check(question({ caller: 'mcp' })))).not.toBe(id);
  });

  it.each([
    ['with the id', true],
    ['without it', false],
  ])('runs once after a yes, coming back %s', async (_, withId) => {
    const { approvals } = await world();
    const id = asked(approvals.check(question()));
    expect(approvals.decide(id, { decision: 'approve' })).toMatchObject({ id, status: 'approved' });
    const again = question(withId ? { approvalId: id } : {});
    expect(approvals.check(again)).toEqual({ allowed: true, by: 'approval' });
    expect(approvals.list()).toMatchObject([{ id, status: 'used' }]);
    expect(asked(approvals.check(question()))).not.toBe(id);
    expect(() => approvals.check(question({ approvalId: id }))).toThrow(
      expect.objectContaining({ code: 'approval_expired', message: expect.stringContaining('has been used') }),
    );
  });

  it('does not care about the order of keys', async () => {
    const { approvals } = await world();
    const id = asked(approvals.check(withArgs({ a: 1, b: 2 })));
    approvals.decide(id, { decision: 'approve' });
    expect(approvals.check({ ...withArgs({ b: 2, a: 1 }), approvalId: id })).toMatchObject({ allowed: true });
  });

  const others: [string, Partial<CallQuestion>, string][] = [
    ['another value', { args: { key: 'ABC-2' } }, 'other arguments'],
    ['one argument more', { args: { ...question().args, force: true } }, 'other arguments'],
    ['a number in place of its text', { args: { ...question().args, key: 1 } }, 'other arguments'],
    ['another tool', { toolId: 'jira.delete_project' }, 'another tool'],
    ['another connector', { connectorId: 'gitlab' }, 'another tool'],
  ];

  it.each(others)('is not let through by a yes for something else: %s', async (_, changes, message) => {
    const { approvals } = await world();
    const id = asked(approvals.check(question()));
    approvals.decide(id, { decision: 'approve' });
    expect(() => approvals.check(question({ ...changes, approvalId: id }))).toThrow(
      expect.objectContaining({ code: 'approval_denied', message: `Approval ${id} was given for ${message}.` }),
    );
    expect(approvals.check(question({ approvalId: id }))).toMatchObject({ allowed: true });
  });

  it('is not let through by a yes that another caller was given', async () => {
    const { approvals } = await world();
    approvals.decide(asked(approvals.check(question())), { decision: 'approve' });
    expect(approvals.check(question({ caller: 'mcp' }))).toMatchObject({ allowed: false });
  });

  it('is told no', async () => {
    const { approvals } = await world();
    const id = asked(approvals.check(question()));
    expect(approvals.decide(id, { decision: 'deny' })).toMatchObject({
      status: 'denied',
      decided_at: '2026-03-01T12:00:00.000Z',
    });
    expect(() => approvals.check(question({ approvalId: id }))).toThrow(
      expect.objectContaining({ code: 'approval_denied', message: `A person denied approval ${id}.` }),
    );
    expect(asked(approvals.check(question()))).not.toBe(id);
  });

  it('is told that an id means nothing', async () => {
    const { approvals } = await world();
    expect(() => approvals.check(question({ approvalId: 'apr_ffffffffffffffff' }))).toThrow(
      expect.objectContaining({ code: 'approval_expired' }),
    );
  });

  it('is let through once when two race for one yes', async () => {
    const { file, now, approvals } = await world();
    const otherDb = await openDatabase(file);
    onTestFinished(() => otherDb.close());
    const other = createApprovals({ db: otherDb, now });
    const id = asked(approvals.check(question()));
    approvals.decide(id, { decision: 'approve' });
    const outcomes = [approvals, other, approvals, other].map((one) => {
      try {
        return one.check(question({ approvalId: id })).allowed;
      } catch {
        return 'refused';
      }
    });
    expect(outcomes).toEqual([true, 'refused', 'refused', 'refused']);
  });

  it('keeps its yes when the database fails while it is used', async () => {
    let failures = 0;
    for (let n = 1; ; n += 1) {
      const { db, now, approvals } = await world();
      const id = asked(approvals.check(question()));
      approvals.decide(id, { decision: 'approve' });
      const failing = failingDatabase(db, n);
      let verdict: Verdict | null = null;
      try {
        verdict = createApprovals({ db: failing.db, now }).check(question({ approvalId: id }));
      } catch (error) {
        expect(String(error), `statement ${n}`).toContain('full');
      }
      if (failing.count() < n) break;
      failures += 1;
      expect(verdict, `statement ${n}`).toBeNull();
      expect(approvals.check(question({ approvalId: id })), `statement ${n}`).toMatchObject({ allowed: true });
    }
    expect(failures).toBe(5);
  });
});

describe('time', () => {
  it('takes a question back after ten minutes', async () => {
    const { clock, approvals } = await world();
    const id = asked(approvals.check(question()));
    clock.now += 10 * MINUTE - 1;
    expect(approvals.list()).toMatchObject([{ status: 'pending' }]);
    clock.now += 1;
    expect(approvals.list()).toMatchObject([{ id, status: 'expired' }]);
    expect(() => approvals.decide(id, { decision: 'approve' })).toThrow(
      expect.objectContaining({ code: 'approval_expired' }),
    );
    expect(() => approvals.check(question({ approvalId: id }))).toThrow(
      expect.objectContaining({ code: 'approval_expired', message: `Approval ${id} has expired.` }),
    );
    expect(asked(approvals.check(question()))).not.toBe(id);
  });

  it('takes a yes back that no call used within ten minutes of it', async () => {
    const { clock, approvals } = await world();
    const id = asked(approvals.check(question()));
    clock.now += 9 * MINUTE;
    expect(approvals.decide(id, { decision: 'approve' }).expires_at).toBe('2026-03-01T12:19:00.000Z');
    clock.now += 10 * MINUTE;
    expect(() => approvals.check(question({ approvalId: id }))).toThrow(
      expect.objectContaining({ code: 'approval_expired' }),
    );
    expect(approvals.check(question())).toMatchObject({ allowed: false });
  });

  it('clears closed questions away after a month', async () => {
    const { clock, approvals } = await world();
    approvals.decide(asked(approvals.check(question())), { decision: 'deny' });
    clock.now += 31 * 24 * 60 * MINUTE;
    const fresh = asked(approvals.check(question()));
    expect(approvals.list().map(({ id }) => id)).toEqual([fresh]);
  });
});

describe('deciding', () => {
  it('is final', async () => {
    const { approvals } = await world();
    const id = asked(approvals.check(question()));
    approvals.decide(id, { decision: 'deny' });
    expect(() => approvals.decide(id, { decision: 'approve' })).toThrow(expect.objectContaining({ code: 'conflict' }));
    expect(approvals.list()).toMatchObject([{ status: 'denied' }]);
  });

  it('needs a question', async () => {
    const { approvals } = await world();
    expect(() => approvals.decide('apr_ffffffffffffffff', { decision: 'approve' })).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
  });

  it('lists by status, the newest first', async () => {
    const { clock, approvals } = await world();
    const ids = [1, 2, 3].map((n) => {
      clock.now += 1;
      return asked(approvals.check(withArgs({ n })));
    });
    approvals.decide(ids[0]!, { decision: 'deny' });
    expect(approvals.list().map(({ id }) => id)).toEqual(ids.toReversed());
    expect(approvals.list({ status: 'pending' }).map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    expect(approvals.list({ status: 'denied' }).map(({ id }) => id)).toEqual([ids[0]]);
  });
});

it('forgets what was allowed to a connector that is gone, and only that', async () => {
  const { approvals } = await world();
  for (const connectorId of ['jira', 'gitlab']) {
    const about = question({ connectorId, toolId: `${connectorId}.delete` });
    approvals.decide(asked(approvals.check(about)), { decision: 'approve', standing: { max_uses: 5 } });
    approvals.decide(asked(approvals.hostCheck({ ...about, host: 'a.example' })), { decision: 'approve' });
  }
  approvals.forgetConnector('jira');
  expect(approvals.listStanding(asAccepted).map((standing) => standing.connector_id)).toEqual(['gitlab']);
  expect([approvals.listHosts('jira').length, approvals.listHosts('gitlab').length]).toEqual([0, 1]);
});

describe('a call that is asked about where it runs', () => {
  it('K-10 leaves no question behind', async () => {
    const { approvals } = await world();
    expect(approvals.covers(question())).toBe(false);
    expect(approvals.list()).toEqual([]);
  });

  it('K-10 needs no further yes when there is one, and uses it up', async () => {
    const { approvals } = await world();
    const id = asked(approvals.check(question()));
    expect(approvals.covers(question({ approvalId: id }))).toBe(false);
    approvals.decide(id, { decision: 'approve', standing: { conditions: { key: 'ABC-1' }, max_uses: 1 } });
    expect(approvals.covers(question({ approvalId: id }))).toBe(true);
    // The standing approval covers one more.
    expect(approvals.covers(question())).toBe(true);
    expect(approvals.covers(question())).toBe(false);
  });

  it('K-10 a no stays a no', async () => {
    const { approvals } = await world();
    const id = asked(approvals.check(question()));
    approvals.decide(id, { decision: 'deny' });
    expect(() => approvals.covers(question({ approvalId: id }))).toThrow(
      expect.objectContaining({ code: 'approval_denied' }),
    );
  });
});

describe('S2 a yes is bound to the definition of the tool', () => {
  const turned = (changes = {}) => question({ definitionSha256: 'another', ...changes });

  it('one call that was approved is asked about again when the tool is another one', async () => {
    const { approvals } = await world();
    const id = asked(approvals.check(question()));
    approvals.decide(id, { decision: 'approve' });
    expect(approvals.check(turned()).allowed).toBe(false);
    expect(() => approvals.check(turned({ approvalId: id }))).toThrow(
      expect.objectContaining({ code: 'approval_denied', message: expect.stringContaining('earlier version') }),
    );
    expect(approvals.check(question({ approvalId: id })).allowed).toBe(true);
  });

  it('two definitions are two questions, and so are two that name a host', async () => {
    const { approvals } = await world();
    expect(asked(approvals.check(question()))).not.toBe(asked(approvals.check(turned())));
    const host = { host: 'a.example' };
    const [first, second] = [question(), turned()].map((one) => asked(approvals.hostCheck({ ...one, ...host })));
    expect(first).not.toBe(second);
  });

  it('a standing approval covers the definition it was given for, also when it is given while it is asked', async () => {
    const { approvals } = await world();
    const standing = { max_uses: 5 };
    approvals.decide(asked(approvals.check(question())), { decision: 'approve', standing });
    approvals.allow(question({ toolId: 'jira.other' }), standing);
    approvals.check(question());
    expect(approvals.check(turned()).allowed).toBe(false);
    expect(approvals.check(turned({ toolId: 'jira.other' })).allowed).toBe(false);
    expect(approvals.check(question()).allowed).toBe(true);
    expect(approvals.listStanding(() => 'another').map(({ active }) => active)).toEqual([false, false]);
    expect(approvals.listStanding(() => null).map(({ active }) => active)).toEqual([false, false]);
  });

  it('one that was given before definitions were kept covers nothing', async () => {
    const { approvals, db } = await world();
    approvals.allow(question(), { max_uses: 5 });
    db.exec('UPDATE standing_approvals SET definition_sha256 = NULL');
    expect(approvals.check(question()).allowed).toBe(false);
    expect(approvals.listStanding(asAccepted)).toMatchObject([{ active: false }]);
  });
});

describe('S2 a change of a connector', () => {
  it('is one question for all who ask in a conversation, whatever the tool and its arguments', async () => {
    const { approvals } = await world();
    const first = asked(approvals.changeCheck(question()));
    expect(asked(approvals.changeCheck(question({ toolId: 'jira.get', args: {}, caller: 'mcp' })))).toBe(first);
    expect(asked(approvals.changeCheck(question({ sessionId: 'sess_a' })))).not.toBe(first);
    expect(asked(approvals.changeCheck(question({ definitionSha256: 'another' })))).not.toBe(first);
  });

  it('is accepted by a yes, in one transaction with it, and by nothing else', async () => {
    const accepted: string[] = [];
    let isSame = true;
    const onChangeAccepted = (id: string, sha256: string) => {
      if (!isSame) throw new Error('changed again');
      accepted.push(`${id} ${sha256}`);
    };
    const { db, now } = await world();
    const approvals = createApprovals({ db, now, onChangeAccepted });
    const no = asked(approvals.changeCheck(question()));
    approvals.decide(no, { decision: 'deny' });
    expect(() => approvals.changeCheck(question({ approvalId: no }))).toThrow('denied');
    const id = asked(approvals.changeCheck(question()));
    expect(() => approvals.decide(id, { decision: 'approve', standing: { max_uses: 1 } })).toThrow('standing');
    isSame = false;
    expect(() => approvals.decide(id, { decision: 'approve' })).toThrow('changed again');
    expect(approvals.list({ status: 'pending' })).toMatchObject([{ id, kind: 'change' }]);
    isSame = true;
    approvals.decide(id, { decision: 'approve' });
    expect(accepted).toEqual(['jira as accepted']);
    // It is no yes to the call itself.
    expect(approvals.check(question({ approvalId: id })).allowed).toBe(false);
  });
});
