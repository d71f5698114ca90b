import { HTML, isConnected, query, rootElementOf } from './dom.ts';
import type { Box } from './place.ts';

/** What is drawn over a page. The page sees that something is there, and can hide it or take it away; what is inside is out of its reach. */
export interface Overlay {
  readonly host: HTMLElement;
  draw: (boxes: readonly Box[], label: string) => void;
  /** The page may have taken it away. */
  isThere: () => boolean;
  remove: () => void;
}

const FILL = {
  background: 'rgba(237, 117, 47, 0.22)',
  outline: '2px solid rgb(222, 99, 28)',
  'outline-offset': '-1px',
};
const LABEL = {
  'max-width': '320px',
  padding: '2px 6px',
  'border-radius': '4px',
  background: '#1c1b19',
  color: '#ffffff',
  font: '12px/1.5 system-ui, sans-serif',
  overflow: 'hidden',
  'text-overflow': 'ellipsis',
  'white-space': 'nowrap',
};
const LABEL_HEIGHT = 24;

/** Set one by one and as important: a page's policy may forbid style sheets, and its own rules must not win. */
function style(element: HTMLElement, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) element.style.setProperty(name, value, 'important');
}

function part(values: Readonly<Record<string, string>>): HTMLElement {
  const element = Document.prototype.createElementNS.call(document, HTML, 'div') as HTMLElement; // as its namespace says
  style(element, { all: 'initial', position: 'fixed', 'pointer-events': 'none', ...values });
  return element;
}

/** Opens it over everything, an open dialog of the page's included. `isShield` keeps the pointer from the page. */
export function openOverlay(isShield: boolean): Overlay {
  const host = part({
    display: 'block',
    inset: '0',
    width: '100vw',
    height: '100vh',
    'z-index': '2147483647',
    'pointer-events': isShield ? 'auto' : 'none',
    ...(isShield && { cursor: 'crosshair', 'touch-action': 'none' }),
  });
  host.setAttribute('aria-hidden', 'true');
  const root = host.attachShadow({ mode: 'closed' });
  const label = part(LABEL);
  root.append(label);
  // What is outside of a modal dialog gets no events while that is open.
  const parent = query(document, ':modal').at(-1) ?? rootElementOf(document);
  Element.prototype.append.call(parent, host);
  host.popover = 'manual';
  host.showPopover();
  const boxes: HTMLElement[] = [];
  return {
    host,
    draw(places, text) {
      while (boxes.length > places.length) boxes.pop()?.remove();
      for (const [index, { x, y, width, height }] of places.entries()) {
        const box = boxes[index] ?? root.insertBefore(part(FILL), label);
        boxes[index] = box;
        style(box, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
      }
      const [first] = places;
      style(label, { display: first === undefined || text === '' ? 'none' : 'block' });
      if (first === undefined) return;
      label.textContent = text;
      const above = first.y - LABEL_HEIGHT;
      const top = above > 0 ? above : Math.min(first.y + first.height + 2, window.innerHeight - LABEL_HEIGHT);
      style(label, {
        left: `${Math.max(0, Math.min(first.x, window.innerWidth - 330))}px`,
        top: `${Math.max(0, top)}px`,
      });
    },
    isThere: () => isConnected(host),
    remove: () => host.remove(),
  };
}
