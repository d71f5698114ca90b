import { documentOf, parentElementOf, read, rootElementOf } from './dom.ts';

const LINE = 16;

/** Scrolls what is under the pointer, as the wheel would if nothing lay over it. */
export function scrollUnder(element: Element | null, event: WheelEvent): void {
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : event.deltaMode === 0 ? 1 : window.innerHeight;
  const left = event.deltaX * unit;
  const top = event.deltaY * unit;
  const methods: { scrollBy: (options: ScrollToOptions) => void } = Element.prototype;
  for (let at = element; at !== null; at = parentElementOf(at)) {
    if (!canScroll(at, left, top)) continue;
    methods.scrollBy.call(at, { left, top, behavior: 'instant' });
    return;
  }
}

function canScroll(element: Element, left: number, top: number): boolean {
  const { overflowX, overflowY } = getComputedStyle(element);
  const isRoot = element === rootElementOf(documentOf(element));
  const scrolls = (overflow: string): boolean => isRoot || overflow === 'auto' || overflow === 'scroll';
  const hasRoom = (delta: number, at: number, all: number, shown: number): boolean =>
    delta < 0 ? at > 0 : delta > 0 && at + shown < all - 1;
  return (
    (scrolls(overflowY) &&
      hasRoom(top, read(element, 'scrollTop'), read(element, 'scrollHeight'), read(element, 'clientHeight'))) ||
    (scrolls(overflowX) &&
      hasRoom(left, read(element, 'scrollLeft'), read(element, 'scrollWidth'), read(element, 'clientWidth')))
  );
}
