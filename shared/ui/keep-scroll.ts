const PATIENCE_MS = 2000;

/** Remembers where each history entry was scrolled to, over reloads too. */
export function keepScroll() {
  const key = (index: number): string => `forge scroll ${index}`;
  let stop = (): void => undefined;
  return {
    save: (index: number): void => sessionStorage.setItem(key(index), String(Math.round(window.scrollY))),
    saved: (index: number): number => Number(sessionStorage.getItem(key(index)) ?? 0),
    /** What a view shows is often still on its way, so this tries again as the page grows, until the person scrolls. */
    restore(y: number): void {
      stop();
      window.scrollTo(0, y);
      if (y === 0) return;
      const observer = new ResizeObserver(() => {
        window.scrollTo(0, y);
        if (Math.abs(window.scrollY - y) <= 1) stop();
      });
      const timer = setTimeout(() => stop(), PATIENCE_MS);
      stop = () => {
        observer.disconnect();
        clearTimeout(timer);
        for (const type of ['wheel', 'touchmove', 'keydown']) window.removeEventListener(type, stop);
      };
      for (const type of ['wheel', 'touchmove', 'keydown']) window.addEventListener(type, stop, { passive: true });
      observer.observe(document.body);
    },
  };
}
