import { describe, expect, it } from 'vitest';
import { abortSignalOf, Stop } from './stop-signal.ts';

describe('a stop', () => {
  it('tells those who listen once, with the reason, and nobody who has left', () => {
    const stop = new Stop();
    const told: string[] = [];
    const leaves = (): void => void told.push('left');
    stop.addEventListener('abort', () => void told.push('stays'));
    stop.addEventListener('abort', leaves);
    stop.removeEventListener('abort', leaves);
    stop.removeEventListener('abort', leaves);
    expect(stop.aborted).toBe(false);
    expect(() => stop.throwIfAborted()).not.toThrow();
    stop.abort(new Error('enough'));
    stop.abort(new Error('again'));
    stop.addEventListener('abort', () => void told.push('late'));
    expect(told).toEqual(['stays']);
    expect(stop.reason).toMatchObject({ message: 'enough' });
    expect(() => stop.throwIfAborted()).toThrow('enough');
  });

  it('tells everyone, also when one of them leaves while it does', () => {
    const stop = new Stop();
    const told: number[] = [];
    const first = (): void => {
      told.push(1);
      stop.removeEventListener('abort', first);
    };
    stop.addEventListener('abort', first);
    stop.addEventListener('abort', () => void told.push(2));
    stop.abort(null);
    expect(told).toEqual([1, 2]);
  });

  it('tells everyone, also when one of them fails, and says so to whoever stops', () => {
    const stop = new Stop();
    const told: number[] = [];
    stop.addEventListener('abort', () => {
      throw new Error('broken');
    });
    stop.addEventListener('abort', () => void told.push(2));
    expect(() => stop.abort(null)).toThrow('broken');
    expect([told, stop.aborted]).toEqual([[2], true]);
  });

  it('becomes a real signal for those who need one', () => {
    const stop = new Stop();
    const signal = abortSignalOf(stop);
    expect(signal.aborted).toBe(false);
    stop.abort(new Error('enough'));
    expect(signal.reason).toBe(stop.reason);
    expect(abortSignalOf(stop).aborted).toBe(true);
  });
});
