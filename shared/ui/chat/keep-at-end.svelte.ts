/** Nearer than this counts as being there. */
const NEAR_PX = 80;

/** Keeps the end of what grows in sight, for as long as the person has not gone up to read. */
export function keepAtEnd(what: () => unknown) {
  let isAtEnd = $state(true);
  let scroller: Element = pageScroller();
  let lastTop = 0;
  const toEnd = (): void => {
    isAtEnd = true;
    scroller.scrollTop = scroller.scrollHeight;
    lastTop = scroller.scrollTop;
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
      scroller = scrollerOf(list);
      const look = (): void => {
        const { scrollTop, scrollHeight, clientHeight } = scroller;
        const isNear = scrollHeight - scrollTop - clientHeight < NEAR_PX;
        // What grows, or gets narrower, leaves the end without anybody having gone up.
        if (isNear || scrollTop < lastTop) isAtEnd = isNear;
        lastTop = scrollTop;
      };
      const size = new ResizeObserver(() => {
        if (isAtEnd) toEnd();
      });
      size.observe(list);
      // Scrolling does not bubble, but whoever listens from above hears it on its way down.
      window.addEventListener('scroll', look, { passive: true, capture: true });
      return () => {
        size.disconnect();
        window.removeEventListener('scroll', look, { capture: true });
      };
    },
  };
}

function pageScroller(): Element {
  return document.scrollingElement ?? document.documentElement;
}

/** The page itself, or the part of it that the list scrolls in. */
function scrollerOf(list: HTMLElement): Element {
  for (let place = list.parentElement; place !== null && place !== document.body; place = place.parentElement)
    if (['auto', 'scroll'].includes(getComputedStyle(place).overflowY)) return place;
  return pageScroller();
}
