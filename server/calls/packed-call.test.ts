import { describe, expect, it } from 'vitest';
import { columnsOf } from './call.ts';
import { joinCalls, packCall, unpackCalls } from './packed-call.ts';
import { entry } from './testing/world.ts';

describe('packed calls', () => {
  it('are the same when they are unpacked, whatever stands in them', () => {
    const calls = [
      entry(1),
      entry(2, { code: '', message: '' }),
      entry(3, { code: 'x', message: '=ünïcode \u{1f600} \ud800 \0', caller: '\0', args: { key: '\0=\n' } }),
      entry(4, { args: null, durationMs: 123_456.7, outcome: 'error' }),
    ].map(columnsOf);
    expect(unpackCalls(joinCalls(calls.map(packCall)))).toEqual(calls);
  });

  it('of an empty batch are none', () => {
    expect(unpackCalls(joinCalls([]))).toEqual([]);
  });

  it('are joined in memory that nobody else uses', () => {
    const joined = joinCalls([packCall(columnsOf(entry(1)))]);
    expect(joined.buffer.byteLength).toBe(joined.length);
  });
});
