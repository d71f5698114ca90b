/** A frame smaller than this shows too little of what it asks. */
const MIN_WIDTH = 240;
const MIN_HEIGHT = 160;
const LOOK_EVERY_MS = 100;
/** Clipping by a fraction of a pixel is rounding. */
const WHOLE = 0.98;

/** The second version of IntersectionObserver, which TypeScript's library does not describe. */
interface VisibilityOptions extends IntersectionObserverInit {
  trackVisibility: boolean;
  delay: number;
}
interface VisibilityEntry extends IntersectionObserverEntry {
  isVisible: boolean;
}

/** Whether this document can be covered or made transparent by the page that shows it, without noticing. */
export function isBlindFrame(): boolean {
  return window.top !== window && !('isVisible' in IntersectionObserverEntry.prototype);
}

/** Tells when a person can see all of the document, and when no longer. A window of its own is covered by nobody's page. */
export function watchVisibility(target: Element, onChange: (isVisible: boolean) => void): void {
  const isLargeEnough = (): boolean => window.innerWidth >= MIN_WIDTH && window.innerHeight >= MIN_HEIGHT;
  if (window.top === window) {
    const look = (): void => onChange(document.visibilityState === 'visible' && isLargeEnough());
    look();
    setInterval(look, LOOK_EVERY_MS);
    return;
  }
  const options: VisibilityOptions = {
    trackVisibility: true,
    delay: LOOK_EVERY_MS,
    threshold: [0, 0.5, 0.9, 0.95, WHOLE, 1],
  };
  const observer = new IntersectionObserver((entries) => {
    // Entries of an observer that tracks visibility have this field.
    const last = entries.at(-1) as VisibilityEntry | undefined;
    onChange(last?.isVisible === true && last.intersectionRatio >= WHOLE && isLargeEnough());
  }, options);
  observer.observe(target);
}
