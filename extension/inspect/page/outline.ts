import type { Outline, OutlineNode } from '../outline.ts';
import { groupAlike } from './group-alike.ts';
import { lastingSelector } from './lasting-selector.ts';

const SKIP = /^(script|style|noscript|template|link|meta|head|svg|path|br|wbr)$/;
const MAX_TEXT = 120;
/** Of more than this the first two stand for all. */
const MAX_ALIKE = 3;

/** An element that may be listed. */
interface Entry {
  readonly element: Element;
  readonly depth: number;
  readonly more: number;
  /** Null where the limit was reached before it. */
  children: Entry[] | null;
}

/**
 * Describes the page, one line per element; what is left out is counted. Elements are taken level by level, so that a limit costs
 * detail everywhere and not all of what stands below a long menu.
 */
export function outlinePage(maxNodes: number): Outline {
  const leftOut = { alike: 0, hidden: 0, beyond_limit: 0 };
  const entriesIn = (parent: Element | ShadowRoot, depth: number): Entry[] => {
    const shown: Element[] = [];
    for (const child of parent.children) {
      if (SKIP.test(child.localName)) continue;
      if (isHidden(child)) leftOut.hidden += sizeOf(child);
      else shown.push(child);
    }
    return groupAlike(shown).flatMap((alike) => {
      const listed = alike.length > MAX_ALIKE ? alike.slice(0, 2) : alike;
      const rest = alike.slice(listed.length);
      for (const other of rest) leftOut.alike += sizeOf(other);
      const moreOf = (index: number): number => (index === listed.length - 1 ? rest.length : 0);
      return listed.map((element, index) => ({ element, depth, more: moreOf(index), children: null }));
    });
  };

  const roots = entriesIn(document.body, 0);
  // It grows while it is read: first come all elements of one level, then those of the next.
  const queue = [...roots];
  for (let at = 0; at < queue.length; at += 1) {
    const entry = queue[at];
    if (entry === undefined) break;
    if (at >= maxNodes) leftOut.beyond_limit += sizeOf(entry.element);
    else {
      entry.children = entriesIn(entry.element.shadowRoot ?? entry.element, entry.depth + 1);
      for (const child of entry.children) queue.push(child);
    }
  }
  return {
    title: document.title,
    nodes: listedIn(roots),
    truncated: leftOut.beyond_limit > 0,
    left_out: leftOut,
  };
}

/** In the order of the page. */
function listedIn(entries: readonly Entry[]): OutlineNode[] {
  return entries.flatMap(({ element, depth, more, children }) =>
    children === null ? [] : [describe(element, depth, more), ...listedIn(children)],
  );
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
