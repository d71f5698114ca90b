/** Where a pointer was, in the window and on the screen. */
export interface PointerPlace {
  clientX: number;
  clientY: number;
  screenX: number;
  screenY: number;
}

/** Rounding moves a pointer by a pixel or two; anything more moves the document. */
const SAME_PX = 3;

/**
 * Knows how long a person has been here with a pointer or a key. Whoever shows this document can move it under a pointer that was about to press
 * something else, so a press counts only after somebody has been here for a while, and the document has stayed where it is.
 */
export function createPresence(now: () => number) {
  let since: number | null = null;
  let offset: { x: number; y: number } | null = null;
  return {
    pointer({ clientX, clientY, screenX, screenY }: PointerPlace): void {
      const seen = { x: screenX - clientX, y: screenY - clientY };
      const hasMoved =
        offset !== null && (Math.abs(seen.x - offset.x) > SAME_PX || Math.abs(seen.y - offset.y) > SAME_PX);
      if (hasMoved) since = null;
      offset = seen;
      since ??= now();
    },
    key(): void {
      since ??= now();
    },
    left(): void {
      since = null;
      offset = null;
    },
    /** How long, in milliseconds; 0 when nobody is here. */
    forMs: (): number => (since === null ? 0 : now() - since),
  };
}
