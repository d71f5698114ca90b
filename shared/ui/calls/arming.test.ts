import { describe, expect, it } from 'vitest';
import { createArming } from './arming.ts';

const BUTTON = 'the button';
const CLICK = 1;
const BY_KEY = 0;

function setUp() {
  const waiting = new Set<() => void>();
  const delays: number[] = [];
  const after = (ms: number, run: () => void) => {
    delays.push(ms);
    waiting.add(run);
    return () => void waiting.delete(run);
  };
  const states: boolean[] = [];
  const arming = createArming({ after }, (isArmed) => states.push(isArmed));
  const pass = (): void => {
    for (const run of waiting) run();
    waiting.clear();
  };
  return { arming, states, delays, pass };
}

describe('K-10 when a yes counts', () => {
  it('not before the question has been in sight for a second', () => {
    const { arming, states, delays, pass } = setUp();
    arming.focused();
    expect(arming.allows(BUTTON, CLICK)).toBe(false);
    pass();
    expect(arming.allows(BUTTON, CLICK)).toBe(true);
    arming.blurred();
    arming.focused();
    expect(arming.allows(BUTTON, CLICK)).toBe(false);
    arming.blurred();
    pass();
    expect(arming.allows(BUTTON, CLICK)).toBe(false);
    expect([states, delays]).toEqual([
      [true, false],
      [1000, 1000],
    ]);
  });

  it('a key counts only when it is pressed on the button, after that, and is not held down', () => {
    const { arming, pass } = setUp();
    arming.focused();
    arming.keyDown(BUTTON, false);
    pass();
    expect(arming.allows(BUTTON, BY_KEY)).toBe(false);
    arming.keyDown('the page', false);
    expect(arming.allows(BUTTON, BY_KEY)).toBe(false);
    arming.keyDown(BUTTON, true);
    expect(arming.allows(BUTTON, BY_KEY)).toBe(false);
    arming.keyDown(BUTTON, false);
    expect(arming.allows(BUTTON, BY_KEY)).toBe(true);
  });
});
