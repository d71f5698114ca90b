import { documentIn, documentOf, elementsAt, frameOf, rootOf, shadowOf, type Root } from './dom.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

function boxOf(element: Element): DOMRect {
  return Element.prototype.getBoundingClientRect.call(element);
}

/** Where the content of a frame begins in the window the frame is in, and how much larger it is drawn there. */
function contentBox(frame: Element): Point & { scale: number } {
  const { left, top, width } = boxOf(frame);
  const { offsetWidth } = frame as HTMLIFrameElement; // only those have documents
  const scale = offsetWidth > 0 ? width / offsetWidth : 1;
  return { x: left + frame.clientLeft * scale, y: top + frame.clientTop * scale, scale };
}

/** The innermost element at a point of the window, through open shadow roots and frames of the same site. */
export function elementAt(point: Point, except: Element): Element | null {
  let found: Element | null = null;
  let root: Root = document;
  let { x, y } = point;
  for (;;) {
    const at: Root = root;
    const next: Element | undefined = elementsAt(at, x, y).find(
      (element) => element !== except && rootOf(element) === at,
    );
    if (next === undefined) return found;
    found = next;
    const shadow = shadowOf(next);
    const inner: Document | null = shadow === null ? documentIn(next) : null;
    if (shadow !== null) {
      root = shadow;
    } else if (inner !== null) {
      const content = contentBox(next);
      x = (x - content.x) / content.scale;
      y = (y - content.y) / content.scale;
      root = inner;
    } else {
      return found;
    }
  }
}

/** Where an element is in the window, however deep in frames. */
export function placeOf(element: Element): Box {
  const { left, top, width, height } = boxOf(element);
  let box: Box = { x: left, y: top, width, height };
  for (let frame = frameOf(documentOf(element)); frame !== null; frame = frameOf(documentOf(frame))) {
    const { x, y, scale } = contentBox(frame);
    box = { x: x + box.x * scale, y: y + box.y * scale, width: box.width * scale, height: box.height * scale };
  }
  return box;
}
