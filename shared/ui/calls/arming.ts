/** What comes up just now may catch a key or a click that was meant for something else. */
const ARM_MS = 1000;

interface Timer {
  /** Runs something later; the returned function takes that back. */
  after: (ms: number, run: () => void) => () => void;
}

/**
 * Says when a yes counts: a while after the question has been in sight of a window with the focus, and only for a key that was pressed on
 * the button itself. Losing the focus starts the time again.
 */
export function createArming(timer: Timer, onChange: (isArmed: boolean) => void) {
  let cancel: (() => void) | null = null;
  let isArmed = false;
  let pressedOn: unknown = null;
  const set = (armed: boolean): void => {
    if (armed === isArmed) return;
    isArmed = armed;
    onChange(armed);
  };
  return {
    focused(): void {
      cancel?.();
      cancel = timer.after(ARM_MS, () => set(true));
    },
    blurred(): void {
      cancel?.();
      cancel = null;
      pressedOn = null;
      set(false);
    },
    /** A key that repeats was held down before. */
    keyDown(target: unknown, isRepeat: boolean): void {
      pressedOn = isArmed && !isRepeat ? target : null;
    },
    /** Whether a click on a target may be taken. `detail` is 0 for one that a key made. */
    allows(target: unknown, detail: number): boolean {
      return isArmed && (detail > 0 || pressedOn === target);
    },
  };
}
