import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputTail } from './output-tail.ts';

describe('the tail of an output', () => {
  it('keeps the last bytes and counts the others, however they are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 64 }),
        (chunks, max) => {
          const tail = new OutputTail(max);
          for (const chunk of chunks) tail.add(Buffer.from(chunk.map((byte) => byte & 0x7f)));
          const all = Buffer.concat(chunks.map((chunk) => chunk.map((byte) => byte & 0x7f)));
          expect(tail.text()).toBe(all.subarray(Math.max(0, all.length - max)).toString('latin1'));
          expect(tail.droppedBytes).toBe(Math.max(0, all.length - max));
          expect(tail.seenBytes).toBe(all.length);
        },
      ),
    );
  });

  it('takes a program that prints byte by byte', () => {
    const tail = new OutputTail(3000);
    for (let index = 0; index < 10_000; index += 1) tail.add(Buffer.from(String(index % 10)));
    expect(tail.text()).toBe('0123456789'.repeat(300));
    expect(tail.droppedBytes).toBe(7000);
  });

  it('puts characters together that were cut in two', () => {
    const tail = new OutputTail(100);
    for (const byte of Buffer.from('häß€😀')) tail.add(Buffer.from([byte]));
    expect(tail.text()).toBe('häß€😀');
  });

  it('leaves out the rest of a character whose beginning was dropped', () => {
    const tail = new OutputTail(5);
    tail.add(Buffer.from('x😀ab'));
    expect(tail.text()).toBe('ab');
  });

  it('knows what stood right before what it keeps', () => {
    const tail = new OutputTail(4);
    tail.add(Buffer.from('dropped, k😀ept'));
    expect([tail.before(), tail.text()]).toEqual(['dropped, k😀', 'ept']);
    const whole = new OutputTail(4);
    whole.add(Buffer.from('kept'));
    expect([whole.before(), whole.text()]).toEqual(['', 'kept']);
    const long = new OutputTail(4);
    for (let line = 0; line < 30_000; line += 1) long.add(Buffer.from(`line ${line}\n`));
    expect([long.before().slice(-8), long.before().length, long.text()]).toEqual(['\nline 29', 65_536, '999\n']);
  });

  it('shows bytes that are no text as U+FFFD', () => {
    const tail = new OutputTail(10);
    tail.add(Buffer.from([0x61, 0xff, 0xfe, 0x62]));
    expect(tail.text()).toBe('a��b');
  });
});
