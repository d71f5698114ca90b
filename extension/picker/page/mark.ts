import { isStillLoaded } from '../../platform/still-loaded.ts';
import { allRoots, isConnected, query } from './dom.ts';
import { openOverlay } from './overlay.ts';
import { placeOf } from './place.ts';

const MAX_MARKED = 100;
const SHOWN_MS = 4000;

/** Highlights what a selector finds, deep as `forge.queryDeep` looks, until it is stopped or a few seconds have passed. */
export function startMarking(selector: string): () => void {
  const found = allRoots(document).flatMap((root) => query(root, selector));
  const [first] = found;
  if (first === undefined) return () => undefined;
  const isInView = found.some((element) => isVisible(element));
  if (!isInView) Element.prototype.scrollIntoView.call(first, { block: 'center', behavior: 'instant' });
  const overlay = openOverlay(false);
  const marked = found.slice(0, MAX_MARKED);
  const until = performance.now() + SHOWN_MS;
  const draw = (): void => {
    if (!overlay.isThere()) return;
    if (performance.now() > until || !isStillLoaded()) overlay.remove();
    else {
      overlay.draw(
        marked.filter(isConnected).map((element) => placeOf(element)),
        '',
      );
      requestAnimationFrame(draw);
    }
  };
  draw();
  return () => overlay.remove();
}

function isVisible(element: Element): boolean {
  const { x, y, width, height } = placeOf(element);
  return width > 0 && x + width > 0 && y + height > 0 && x < window.innerWidth && y < window.innerHeight;
}
