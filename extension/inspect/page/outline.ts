import type { Outline, OutlineNode } from '../outline.ts';
import { groupAlike } from './group-alike.ts';
import { lastingSelector } from './lasting-selector.ts';

const SKIP = /^(script|style|noscript|template|link|meta|head|svg|path|br|wbr)$/;
const MAX_TEXT = 120;
/** Of more than this the first two stand for all. */
const MAX_ALIKE = 3;

/** Walks what is visible on the page and describes it, one line per element; what is left out is counted. */
export function outlinePage(maxNodes: number): Outline {
  const nodes: OutlineNode[] = [];
  const leftOut = { alike: 0, hidden: 0, beyond_limit: 0 };

  const visit = (element: Element, depth: number, more: number): void => {
    if (nodes.length >= maxNodes) {
      leftOut.beyond_limit += sizeOf(element);
      return;
    }
    nodes.push(describe(element, depth, more));
    visitChildren(element.shadowRoot ?? element, depth + 1);
  };
  const visitChildren = (parent: Element | ShadowRoot, depth: number): void => {
    const shown: Element[] = [];
    for (const child of parent.children) {
      if (SKIP.test(child.localName)) continue;
      if (isHidden(child)) leftOut.hidden += sizeOf(child);
      else shown.push(child);
    }
    for (const alike of groupAlike(shown)) {
      const listed = alike.length > MAX_ALIKE ? alike.slice(0, 2) : alike;
      for (const other of alike.slice(listed.length)) leftOut.alike += sizeOf(other);
      for (const [index, child] of listed.entries())
        visit(child, depth, index === listed.length - 1 ? alike.length - listed.length : 0);
    }
  };
  visitChildren(document.body, 0);
  return { title: document.title, nodes, truncated: leftOut.beyond_limit > 0, left_out: leftOut };
}

function describe(element: Element, depth: number, more: number): OutlineNode {
  const text = textOf(element).slice(0, MAX_TEXT);
  const role = element.getAttribute('role');
  return {
    depth,
    tag: element.localName,
    selector: lastingSelector(element),
    ...(text !== '' && { text }),
    ...(role !== null && { role }),
    ...(more > 0 && { more }),
    ...(element.shadowRoot !== null && { shadow: true }),
  };
}

/** The element and everything in it. */
function sizeOf(element: Element): number {
  return 1 + element.querySelectorAll('*').length;
}

function isHidden(element: Element): boolean {
  return element.hasAttribute('hidden');
}

function textOf(element: Element): string {
  const direct = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent ?? '');
  const text = direct.join(' ').replace(/\s+/g, ' ').trim();
  return text || (element.getAttribute('alt') ?? element.getAttribute('placeholder') ?? '');
}
