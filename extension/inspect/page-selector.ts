export interface SelectorReport {
  count: number;
  /** Those that only `forge.queryDeep` finds, because they are in shadow roots. */
  deep: number;
  /** The first ten. */
  matches: { tag: string; text: string; html: string; visible: boolean }[];
}

/** Runs in the page, so it uses nothing from outside. Says what a selector finds, also in open shadow roots. */
export function pageSelector(selector: string): SelectorReport | { problem: string } {
  const found: Element[] = [];
  const visit = (root: Document | ShadowRoot): void => {
    found.push(...root.querySelectorAll(selector));
    for (const element of root.querySelectorAll('*')) if (element.shadowRoot !== null) visit(element.shadowRoot);
  };
  try {
    visit(document);
  } catch {
    return { problem: 'it is not a valid selector' };
  }
  return {
    count: found.length,
    deep: found.filter((element) => element.getRootNode() !== document).length,
    matches: found.slice(0, 10).map((element) => ({
      tag: element.tagName.toLowerCase().slice(0, 200),
      text: element.textContent.replace(/\s+/g, ' ').trim().slice(0, 200),
      html: element.outerHTML.slice(0, 300),
      visible: element.getClientRects().length > 0,
    })),
  };
}

/** Runs in the page: is there such an element? Null for a selector that cannot be read. */
export function pageHas(selector: string): boolean | null {
  try {
    return document.querySelector(selector) !== null;
  } catch {
    return null;
  }
}
