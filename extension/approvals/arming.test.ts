import { describe, expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { createArming } from './arming.ts';

const BUTTON = 'the button';
const CLICK = 1;
const BY_KEY = 0;

function setUp() {
  const clock = manualClock();
  const states: boolean[] = [];
  const arming = createArming(clock, (isArmed) => states.push(isArmed));
  return { clock, states, arming };
}

describe('when a yes counts', () => {
  it('not before the window has had the focus for a second', async () => {
    const { clock, arming, states } = setUp();
    expect(arming.allows(BUTTON, CLICK)).toBe(false);
    arming.focused();
    await clock.advance(999);
    expect(arming.allows(BUTTON, CLICK)).toBe(false);
    await clock.advance(1);
    expect(arming.allows(BUTTON, CLICK)).toBe(true);
    arming.blurred();
    expect(arming.allows(BUTTON, CLICK)).toBe(false);
    arming.focused();
    await clock.advance(999);
    expect(arming.allows(BUTTON, CLICK)).toBe(false);
    expect(states).toEqual([true, false]);
  });

  it('a key counts only when it is pressed on the button, after that, and is not held down', async () => {
    const { clock, arming } = setUp();
    arming.focused();
    arming.keyDown(BUTTON, false);
    await clock.advance(1000);
    expect(arming.allows(BUTTON, BY_KEY)).toBe(false);
    arming.keyDown('the page', false);
    expect(arming.allows(BUTTON, BY_KEY)).toBe(false);
    arming.keyDown(BUTTON, true);
    expect(arming.allows(BUTTON, BY_KEY)).toBe(false);
    arming.keyDown(BUTTON, false);
    expect(arming.allows(BUTTON, BY_KEY)).toBe(true);
  });
});
