import { describe, expect, it, onTestFinished } from 'vitest';
import { Stop } from '../../shared/stop-signal.ts';
import { createDecisionWaits } from './decision-waits.ts';
import { asked, question, world } from './testing/world.ts';

async function waitingWorld() {
  const { approvals, clock } = await world();
  clock.now = Date.now();
  const id = asked(approvals.check(question()));
  return { approvals, id, waits: createDecisionWaits(approvals) };
}

describe('waiting for a person', () => {
  it.each(['approve', 'deny'] as const)('ends with their answer: %s', async (decision) => {
    const { approvals, id, waits } = await waitingWorld();
    const settled = waits.wait(id, { signal: new Stop() });
    approvals.decide(id, { decision });
    expect(await settled).toBe('decided');
  });

  it('ends at once for what is decided, or unknown', async () => {
    const { approvals, id, waits } = await waitingWorld();
    approvals.decide(id, { decision: 'approve' });
    expect(await waits.wait(id, { signal: new Stop() })).toBe('decided');
    expect(await waits.wait('apr_unknown', { signal: new Stop() })).toBe('decided');
  });

  it('leaves the question as it is when the time is over, or Forge stops', async () => {
    const { approvals, id, waits } = await waitingWorld();
    expect(await waits.wait(id, { signal: new Stop(), limitMs: 0 })).toBe('later');
    const held = waits.wait(id, { signal: new Stop(), limitMs: 60_000 });
    waits.releaseHeld();
    expect(await held).toBe('later');
    expect(approvals.find(id)?.status).toBe('pending');
  });

  it('goes on although a clock that was set back makes the question end next year', async () => {
    const { approvals, clock } = await world();
    clock.now = Date.now() + 400 * 24 * 60 * 60_000;
    const id = asked(approvals.check(question()));
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const settled = createDecisionWaits(approvals).wait(id, { signal: new Stop() });
    await new Promise(setImmediate);
    // Node warns about a timer that is too long, and fires it at once.
    expect(warnings).toEqual([]);
    approvals.decide(id, { decision: 'approve' });
    expect(await settled).toBe('decided');
  });

  it('withdraws the question when the last of those who wait has left', async () => {
    const { approvals, id, waits } = await waitingWorld();
    const [first, second] = [new Stop(), new Stop()];
    const both = [first, second].map((signal) => waits.wait(id, { signal }));
    first.abort(new Error('the first has left'));
    await expect(both[0]).rejects.toThrow('the first has left');
    expect(approvals.find(id)?.status).toBe('pending');
    second.abort(new Error('the second has left'));
    await expect(both[1]).rejects.toThrow('the second has left');
    expect(approvals.find(id)?.status).toBe('expired');
  });

  it('withdraws it when the caller had left before', async () => {
    const { approvals, id, waits } = await waitingWorld();
    const gone = new Stop();
    gone.abort(new Error('gone'));
    await expect(waits.wait(id, { signal: gone })).rejects.toThrow('gone');
    expect(approvals.find(id)?.status).toBe('expired');
  });
});
