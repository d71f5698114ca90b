import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeldFrames, joinFrames, splitFrames } from './bridge-join.ts';

const head = '{"id":1,"result":{}}';

describe('several frames in one message', () => {
  it('one alone is sent as it is', () => {
    expect(joinFrames([head])).toBe(head);
    expect(splitFrames(head)).toEqual([head]);
  });

  it('come out as they went in, with bodies of any kind', () => {
    const frames = [`${head}\n[1,2]\n[3]`, head, `${head}\n"ä😀\u2028"`];
    expect(joinFrames(frames)).toMatch(/^\[\d+,\d+,\d+\]\n\{/);
    expect(splitFrames(joinFrames(frames))).toEqual(frames);
  });

  it('whatever is in them', () => {
    const frame = fc.string({ unit: 'binary' }).map((body) => `${head}\n${body}`);
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 5 }), (frames) => {
        expect(splitFrames(joinFrames(frames))).toEqual(frames);
      }),
    );
  });

  it.each([
    ['too short', `[20,20]\n${head}`],
    ['too long', `[20,20]\n${head}${head}x`],
    ['an empty frame', `[20,0]\n${head}`],
    ['one alone in a list', `[20]\n${head}`],
    ['no list', `[{}]\n${head}`],
    ['numbers of another kind', `[2e1,20]\n${head}${head}`],
    ['negative', `[40,-20]\n${head}`],
    ['nothing behind it', '[20,20]'],
    ['a list that does not end', `[20,20\n${head}${head}`],
    ['a bracket', '['],
  ])('a list that does not fit is refused: %s', (_what, text) => {
    expect(splitFrames(text)).toBeNull();
  });

  it('there is room for some, and always for one', () => {
    const held = new HeldFrames();
    const large = 'x'.repeat(200_000);
    expect(held.hasRoomFor(large)).toBe(true);
    held.hold(large);
    expect(held.hasRoomFor(large)).toBe(false);
    expect(held.hasRoomFor(head)).toBe(true);
    held.hold(head);
    expect(held.take()).toEqual([large, head]);
    expect([held.count, held.hasRoomFor(large)]).toEqual([0, true]);
  });
});
