import { describe, expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { createAnswers } from './answers.ts';

function world() {
  const clock = manualClock();
  const sent: string[][] = [];
  const answers = createAnswers({ clock, deliver: (frames) => sent.push(frames) });
  const begin = (count: number): void => {
    for (let n = 0; n < count; n += 1) answers.began();
  };
  /** An answer while so many others run. */
  const add = (frame: string, running: number): void => {
    begin(running + 1 - left);
    left = running;
    answers.add(frame, true);
  };
  let left = 0;
  return { clock, sent, answers, begin, add };
}

describe('answers on their way out', () => {
  it('one that comes alone goes at once, whatever else runs', async () => {
    const { clock, sent, add } = world();
    add('a', 30);
    await clock.advance(6);
    add('b', 30);
    expect(sent).toEqual([['a'], ['b']]);
    expect(clock.pending).toBe(0);
  });

  it('where few calls run, none waits', () => {
    const { sent, add } = world();
    for (const [frame, running] of [
      ['a', 3],
      ['b', 2],
      ['c', 1],
      ['d', 0],
    ] as const)
      add(frame, running);
    expect(sent).toEqual([['a'], ['b'], ['c'], ['d']]);
  });

  it('in a stream of many some go together, in order', () => {
    const { clock, sent, add } = world();
    for (let n = 0; n < 9; n += 1) add(String(n), 8);
    expect(sent).toEqual([['0'], ['1', '2'], ['3', '4'], ['5', '6'], ['7', '8']]);
    expect(clock.pending).toBe(0);
  });

  it('the last of a stream waits for a moment only', async () => {
    const { clock, sent, add } = world();
    add('a', 30);
    add('b', 30);
    await clock.advance(5);
    add('c', 30);
    await clock.advance(2);
    expect(sent).toEqual([['a']]);
    await clock.advance(1);
    expect(sent).toEqual([['a'], ['b', 'c']]);
  });

  it('none waits that may not', () => {
    const { sent, answers, begin } = world();
    begin(30);
    for (const frame of ['a', 'b', 'c']) answers.add(frame, false);
    expect(sent).toEqual([['a'], ['b'], ['c']]);
  });

  it('large ones do not wait for each other', async () => {
    const { clock, sent, add } = world();
    const large = 'x'.repeat(200_000);
    for (const frame of ['a', large, large]) add(frame, 30);
    expect(sent).toEqual([['a'], [large]]);
    await clock.advance(8);
    expect(sent).toEqual([['a'], [large], [large]]);
  });
});
