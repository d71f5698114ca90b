import { describe, expect, it } from 'vitest';
import { createCallIds, newCallId } from './call-id.ts';

describe('call ids', () => {
  it('differ', () => {
    expect(newCallId()).toMatch(/^call_[0-9a-f]{16}$/);
    expect(newCallId()).not.toBe(newCallId());
  });

  it('come in the order they were made, with a clock that stands still or is set back', () => {
    const times = [5, 5, 7, 6, 6, 8];
    const next = createCallIds(
      () => times.shift() ?? 8,
      () => 0.5,
    );
    const ids = Array.from({ length: 7 }, next);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(ids[0]).toBe('call_0000000000540000');
  });

  it('borrow from the next millisecond when one is used up', () => {
    const next = createCallIds(
      () => 1,
      () => 2 - 2 ** -19,
    );
    expect([next(), next(), next()]).toEqual([
      'call_00000000001fffff',
      'call_0000000000200000',
      'call_0000000000200001',
    ]);
  });
});
