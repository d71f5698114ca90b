import { describe, expect, it } from 'vitest';
import { asked, question, withArgs, world } from './testing/world.ts';

const ask = (approvals: Awaited<ReturnType<typeof world>>['approvals'], n: number, caller: string) =>
  approvals.check({ ...withArgs({ n }), caller });

describe('S11 questions that wait', () => {
  it('are twenty of one caller at the most, and the next leaves no trace', async () => {
    const { approvals, db } = await world();
    for (let n = 0; n < 20; n += 1) asked(ask(approvals, n, 'mcp'));
    const count = () => Number(db.prepare('SELECT count(*) AS n FROM approvals').get()?.['n']);
    const heard: string[] = [];
    approvals.listen(({ id }) => heard.push(id));
    for (let n = 20; n < 60; n += 1)
      expect(() => ask(approvals, n, 'mcp')).toThrow(
        expect.objectContaining({ code: 'too_many_approvals', message: expect.stringContaining('20 questions') }),
      );
    expect(() => approvals.hostCheck({ ...question({ caller: 'mcp' }), host: 'a.test' })).toThrow(
      expect.objectContaining({ code: 'too_many_approvals' }),
    );
    expect([count(), approvals.countPending(), heard]).toEqual([20, 20, []]);
  });

  it('are found again although there is no room, and others are not kept waiting by them', async () => {
    const { approvals } = await world();
    const ids = Array.from({ length: 20 }, (_, n) => asked(ask(approvals, n, 'mcp')));
    expect(asked(ask(approvals, 7, 'mcp'))).toBe(ids[7]);
    expect(asked(ask(approvals, 0, 'chat'))).not.toBe(ids[0]);
  });

  it('make room when a person answers, when nobody does in time, and when they are withdrawn', async () => {
    const { approvals, clock } = await world();
    const [first = '', second = ''] = Array.from({ length: 20 }, (_, n) => asked(ask(approvals, n, 'mcp')));
    approvals.decide(first, { decision: 'deny' });
    asked(ask(approvals, 100, 'mcp'));
    approvals.withdraw(second);
    asked(ask(approvals, 101, 'mcp'));
    expect(() => ask(approvals, 102, 'mcp')).toThrow('wait for a person');
    clock.now += 10 * 60_000;
    asked(ask(approvals, 102, 'mcp'));
    expect(approvals.countPending()).toBe(1);
  });

  it('are two hundred in all, whoever asks', async () => {
    const { approvals } = await world();
    for (let n = 0; n < 200; n += 1) asked(ask(approvals, n, `caller-${n % 50}`));
    expect(() => ask(approvals, 0, 'somebody else')).toThrow(expect.objectContaining({ code: 'too_many_approvals' }));
    expect(approvals.countPending()).toBe(200);
  });

  it('a yes that stands goes through although there is no room', async () => {
    const { approvals } = await world();
    for (let n = 0; n < 20; n += 1) asked(ask(approvals, n, 'mcp'));
    approvals.allow(question(), { max_uses: 1 });
    expect(ask(approvals, 500, 'mcp')).toEqual({ allowed: true, by: 'standing' });
  });
});

describe('S11 the list', () => {
  it('is read a page at a time, in either order, without losing or repeating one', async () => {
    const { approvals, clock } = await world();
    const ids = Array.from({ length: 15 }, (_, n) => {
      // Some come in the same millisecond.
      if (n % 4 === 0) clock.now += 1;
      return asked(ask(approvals, n, 'mcp'));
    });
    for (const order of ['newest', 'oldest'] as const) {
      const seen: string[] = [];
      for (let after; ;) {
        const page = approvals.list({ status: 'pending', order, limit: 4, after });
        seen.push(...page.map(({ id }) => id));
        after = page.at(-1);
        if (after === undefined) break;
      }
      expect(seen).toEqual(order === 'oldest' ? ids : ids.toReversed());
    }
  });

  it.each([
    ['those that wait', `status = 'pending'`],
    ['all of them', ''],
    ['those of a conversation', `session_id = 'sess_a'`],
  ])('reads %s by an index', async (_, where) => {
    const { db } = await world();
    const sql = `SELECT * FROM approvals ${where === '' ? '' : `WHERE ${where}`} ORDER BY created_at DESC, id DESC LIMIT 50`;
    const plan = db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
      .join('\n');
    expect(plan).toContain('USING INDEX');
    expect(plan).not.toContain('TEMP B-TREE');
  });

  it('keeps ten thousand that are over at the most', async () => {
    const { db, approvals, clock } = await world();
    const insert = db.prepare(
      `INSERT INTO approvals (id, kind, tool_id, connector_id, args, args_sha256, definition_sha256, caller, reason, status, created_at, expires_at)
       VALUES (?, 'call', 't', 'c', '{}', '', '', 'x', '', 'expired', ?, '')`,
    );
    db.exec('BEGIN');
    for (let n = 0; n < 10_500; n += 1) insert.run(`apr_${n}`, new Date(clock.now - 60_000 + n).toISOString());
    db.exec('COMMIT');
    asked(ask(approvals, 1, 'mcp'));
    const left = db.prepare(`SELECT count(*) AS n, min(id) AS first FROM approvals WHERE status = 'expired'`).get();
    expect(Number(left?.['n'])).toBeLessThanOrEqual(10_001);
    expect(approvals.find('apr_10499')).not.toBeNull();
    expect(approvals.find('apr_0')).toBeNull();
  });
});
