import { describe, expect, it } from 'vitest';
import { Lane } from './lane.ts';

const { signal: never } = new AbortController();

describe('K-52 a lane', () => {
  it('lets so many in at once, and the others in order', async () => {
    const lane = new Lane(2, 10);
    const order: number[] = [];
    const leaves = await Promise.all([lane.enter(never).turn, lane.enter(never).turn]);
    const waiting = [3, 4].map((number) => {
      const { ahead, turn } = lane.enter(never);
      void turn.then(() => order.push(number));
      return { ahead, turn };
    });
    expect([lane.running, lane.waiting, ...waiting.map(({ ahead }) => ahead)]).toEqual([2, 2, 1, 2]);
    leaves[0]();
    leaves[0]();
    await waiting[0]!.turn;
    expect([order, lane.running, lane.waiting]).toEqual([[3], 2, 1]);
    leaves[1]();
    await waiting[1]!.turn;
    expect(order).toEqual([3, 4]);
  });

  it('refuses when too many wait, and forgets one that gives up', async () => {
    const lane = new Lane(1, 1);
    await lane.enter(never).turn;
    const leaving = new AbortController();
    const { turn } = lane.enter(leaving.signal);
    expect(() => lane.enter(never)).toThrow(
      expect.objectContaining({ code: 'queue_full', details: { retry_after_sec: 5 } }),
    );
    leaving.abort(new Error('gone'));
    await expect(turn).rejects.toThrow('gone');
    expect(lane.waiting).toBe(0);
    lane.enter(never);
    expect(lane.waiting).toBe(1);
  });
});
