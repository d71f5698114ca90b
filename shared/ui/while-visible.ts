/**
 * Keeps something going while the page is in sight: a browser has few connections to one server, and tabs nobody looks at would use them
 * up. `start` is told whether it was going before.
 */
export function whileVisible(start: (isAgain: boolean) => () => void): () => void {
  let stop: (() => void) | null = null;
  let wasStarted = false;
  const look = (): void => {
    if (document.visibilityState !== 'visible') {
      stop?.();
      stop = null;
    } else if (stop === null) {
      stop = start(wasStarted);
      wasStarted = true;
    }
  };
  look();
  document.addEventListener('visibilitychange', look);
  return () => {
    document.removeEventListener('visibilitychange', look);
    stop?.();
  };
}
