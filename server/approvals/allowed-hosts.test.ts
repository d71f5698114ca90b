import { describe, expect, it } from 'vitest';
import type { CallQuestion } from './approvals.ts';
import { asked, question, world } from './testing/world.ts';

describe('a host that an argument names', () => {
  const host = (name: string, changes: Partial<CallQuestion> = {}) => ({
    ...question({ toolId: 'nac.list', connectorId: 'nac', ...changes }),
    host: name,
  });

  it('K-61 is put to the person, who sees it, and is remembered after a yes', async () => {
    const { approvals } = await world();
    const verdict = approvals.hostCheck(host('Nac1.example:8443'));
    expect(verdict).toMatchObject({ allowed: false, approval: { kind: 'host', host: 'nac1.example:8443' } });
    const id = asked(verdict);
    expect(asked(approvals.hostCheck(host('nac1.example:8443', { caller: 'mcp', args: {} })))).toBe(id);
    approvals.decide(id, { decision: 'approve' });
    expect(approvals.hostCheck(host('NAC1.example:8443'))).toEqual({ allowed: true, by: 'approval' });
    expect(approvals.hostCheck(host('nac1.example:8443', { args: { other: 1 } }))).toMatchObject({ allowed: true });
    expect(approvals.listHosts('nac')).toEqual([{ host: 'nac1.example:8443', created_at: '2026-03-01T12:00:00.000Z' }]);
  });

  it.each([
    ['another host', host('nac2.example:8443')],
    ['another port', host('nac1.example')],
    ['another connector', host('nac1.example:8443', { connectorId: 'ncm' })],
  ])('K-61 is asked about again for %s', async (_, other) => {
    const { approvals } = await world();
    const id = asked(approvals.hostCheck(host('nac1.example:8443')));
    approvals.decide(id, { decision: 'approve' });
    expect(approvals.hostCheck(other)).toMatchObject({ allowed: false });
    expect(asked(approvals.hostCheck({ ...other, approvalId: id }))).not.toBe(id);
  });

  it('K-61 is asked about beside another host of the same call, and one yes does not stand for both', async () => {
    const { approvals } = await world();
    const first = asked(approvals.hostCheck(host('api.example')));
    approvals.decide(first, { decision: 'approve' });
    const second = asked(approvals.hostCheck(host('login.example', { approvalId: first })));
    approvals.decide(second, { decision: 'approve' });
    const verdicts = ['api.example', 'login.example'].map((name) =>
      approvals.hostCheck(host(name, { approvalId: second })),
    );
    expect(verdicts).toMatchObject([{ allowed: true }, { allowed: true }]);
  });

  it('is told no', async () => {
    const { approvals } = await world();
    const id = asked(approvals.hostCheck(host('evil.example')));
    approvals.decide(id, { decision: 'deny' });
    expect(() => approvals.hostCheck(host('evil.example', { approvalId: id }))).toThrow(
      expect.objectContaining({ code: 'approval_denied' }),
    );
    expect(approvals.listHosts('nac')).toEqual([]);
  });

  it('is asked about again after it was taken off the list', async () => {
    const { approvals } = await world();
    const id = asked(approvals.hostCheck(host('nac1.example')));
    approvals.decide(id, { decision: 'approve' });
    approvals.removeHost('nac', 'NAC1.example');
    expect(asked(approvals.hostCheck(host('nac1.example', { approvalId: id })))).not.toBe(id);
    expect(() => approvals.removeHost('nac', 'nac1.example')).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  it('is a question apart from the call: one id answers one of them', async () => {
    const { approvals } = await world();
    const forHost = asked(approvals.hostCheck(host('nac1.example')));
    approvals.decide(forHost, { decision: 'approve' });
    const back = host('nac1.example', { approvalId: forHost });
    expect(approvals.hostCheck(back)).toMatchObject({ allowed: true });
    const forCall = asked(approvals.check(back));
    approvals.decide(forCall, { decision: 'approve' });
    expect(approvals.hostCheck({ ...back, approvalId: forCall })).toMatchObject({ allowed: true });
    expect(approvals.check({ ...back, approvalId: forCall })).toMatchObject({ allowed: true });
  });
});
