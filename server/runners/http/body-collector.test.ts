import { describe, expect, it } from 'vitest';
import { BodyCollector } from './body-collector.ts';

describe('collecting a body', () => {
  it('takes a single piece as it is', () => {
    const piece = Buffer.from('all of it');
    const collector = new BodyCollector(100);
    expect(collector.append(piece)).toBe(true);
    expect(collector.take()).toBe(piece);
  });

  it('joins many pieces without touching the first one’s memory', () => {
    const memory = Buffer.from('abcdefgh');
    const collector = new BodyCollector(100);
    for (const piece of [memory.subarray(0, 2), Buffer.from('XY'), Buffer.alloc(0), Buffer.from('Z')]) {
      expect(collector.append(piece)).toBe(true);
    }
    expect(collector.take().toString()).toBe('abXYZ');
    expect(memory.toString()).toBe('abcdefgh');
  });

  it('keeps no object for each of a million tiny pieces', () => {
    const collector = new BodyCollector(1_000_000);
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 1_000_000; count += 1) collector.append(Buffer.from([count % 256]));
    expect(collector.append(Buffer.from('x'))).toBe(false);
    const body = collector.take();
    expect([body.length, body[999_999]]).toEqual([1_000_000, 999_999 % 256]);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60 * 1024 * 1024);
  });

  it.each([1000, 70_000, 2_000_000])(
    'S13 gathers a large body in memory that a thread sees, from pieces of %i bytes',
    (size) => {
      const whole = Buffer.from(Array.from({ length: 5_000_000 }, (_, index) => index % 251));
      const collector = new BodyCollector(whole.length);
      for (let at = 0; at < whole.length; at += size) {
        expect(collector.append(whole.subarray(at, at + size))).toBe(true);
      }
      expect(collector.append(Buffer.from('x'))).toBe(false);
      const body = collector.take();
      expect(body.equals(whole)).toBe(true);
      expect(body.buffer).toBeInstanceOf(SharedArrayBuffer);
    },
  );

  it('is empty when nothing came', () => {
    expect(new BodyCollector(0).take()).toHaveLength(0);
  });
});
