/** One line of an outline. */
interface OutlineNode {
  depth: number;
  tag: string;
  /** Finds this element and no other, and is likely to find it tomorrow. */
  selector: string;
  text?: string;
  role?: string;
  /** How many more siblings look the same; only the first two of them are listed. */
  more?: number;
  /** Its content is in an open shadow root. */
  shadow?: true;
}

export interface Outline {
  title: string;
  nodes: OutlineNode[];
  truncated: boolean;
}

/** Runs in the page, so it uses nothing from outside. Walks what is visible and describes it, one line per element. */
export function pageOutline(maxNodes: number, generatedName: string): Outline {
  const SKIP = /^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE|LINK|META|HEAD|SVG|PATH|BR|WBR)$/i;
  const STABLE = 'data-testid data-test data-test-id data-qa data-cy name aria-label role type'.split(' ');
  const made = new RegExp(generatedName);
  const isMade = (name: string) => made.test(name);
  const quote = (value: string) => `"${CSS.escape(value).replaceAll('\\ ', ' ')}"`;

  const own = (element: Element): string => {
    const tag = element.tagName.toLowerCase();
    if (element.id !== '' && !isMade(element.id)) return `#${CSS.escape(element.id)}`;
    for (const name of STABLE) {
      const value = element.getAttribute(name);
      if (value !== null && value !== '' && value.length < 60) return `${tag}[${name}=${quote(value)}]`;
    }
    const classes = [...element.classList].filter((name) => !isMade(name)).slice(0, 2);
    return tag + classes.map((name) => `.${CSS.escape(name)}`).join('');
  };
  const isOnly = (selector: string, root: ParentNode) => root.querySelectorAll(selector).length === 1;
  /** Counted among its siblings only where its own marks do not tell it from them. */
  const step = (element: Element): string => {
    const siblings = [...(element.parentElement?.children ?? [])];
    if (siblings.filter((other) => other.matches(own(element))).length < 2) return own(element);
    const place = siblings.filter((other) => other.tagName === element.tagName).indexOf(element) + 1;
    return `${own(element)}:nth-of-type(${place})`;
  };
  const selectorOf = (element: Element): string => {
    const root = element.getRootNode() as Document | ShadowRoot; // the root of a connected element is one of the two
    if (isOnly(own(element), root)) return own(element);
    let selector = step(element);
    for (let up = element.parentElement; up !== null && !isOnly(selector, root); up = up.parentElement)
      selector = `${step(up)} > ${selector}`;
    return selector;
  };
  const textOf = (element: Element): string => {
    const direct = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent ?? '');
    const text = direct.join(' ').replace(/\s+/g, ' ').trim();
    return text || (element.getAttribute('alt') ?? element.getAttribute('placeholder') ?? '');
  };
  const looks = (element: Element) => [element.tagName, ...[...element.classList].filter((n) => !isMade(n))].join();
  const nodes: OutlineNode[] = [];
  let truncated = false;

  const visit = (element: Element, depth: number, more: number): void => {
    truncated ||= nodes.length >= maxNodes;
    if (truncated) return;
    const text = textOf(element).slice(0, 120);
    const role = element.getAttribute('role');
    nodes.push({
      depth,
      tag: element.tagName.toLowerCase(),
      selector: selectorOf(element),
      ...(text !== '' && { text }),
      ...(role !== null && { role }),
      ...(more > 0 && { more }),
      ...(element.shadowRoot !== null && { shadow: true }),
    });
    children(element.shadowRoot ?? element, depth + 1);
  };
  const children = (parent: Element | ShadowRoot, depth: number): void => {
    const kinds = new Map<string, Element[]>();
    for (const child of parent.children) {
      if (SKIP.test(child.tagName) || (child instanceof HTMLElement && child.hidden)) continue;
      const kind = looks(child);
      kinds.set(kind, [...(kinds.get(kind) ?? []), child]);
    }
    for (const alike of kinds.values()) {
      const listed = alike.length > 3 ? alike.slice(0, 2) : alike;
      for (const [index, child] of listed.entries()) {
        visit(child, depth, index === listed.length - 1 ? alike.length - listed.length : 0);
      }
    }
  };
  children(document.body, 0);
  return { title: document.title, nodes, truncated };
}
