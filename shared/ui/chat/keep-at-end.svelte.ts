/** Nearer than this counts as being there. */
const NEAR_PX = 80;

/** Keeps the end of what grows in sight, for as long as the person has not gone up to read. */
export function keepAtEnd(what: () => unknown) {
  let isAtEnd = $state(true);
  const page = (): Element => document.scrollingElement ?? document.documentElement;
  const toEnd = (): void => {
    isAtEnd = true;
    page().scrollTop = page().scrollHeight;
  };
  // Another conversation is read from its end.
  $effect(() => {
    void what();
    toEnd();
  });
  return {
    get isAtEnd() {
      return isAtEnd;
    },
    toEnd,
    watch(list: HTMLElement): () => void {
      const look = (): void => {
        const { scrollTop, scrollHeight, clientHeight } = page();
        isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR_PX;
      };
      const size = new ResizeObserver(() => {
        if (isAtEnd) toEnd();
      });
      size.observe(list);
      window.addEventListener('scroll', look, { passive: true });
      return () => {
        size.disconnect();
        window.removeEventListener('scroll', look);
      };
    },
  };
}
