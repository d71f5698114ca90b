/**
 * The DOM's own getters. A form gives out its fields, and a document its pictures, under the names of their own properties; read like this,
 * a field called `parentNode` is in nobody's way.
 */
function getter<N extends Node, K extends string & keyof N>(prototype: () => N, name: K): (node: N) => N[K] {
  // Looked up late: the build reads this file where there is no DOM.
  return (node) => Object.getOwnPropertyDescriptor(prototype(), name)?.get?.call(node) as N[K]; // as the DOM types it
}

export const parentOf = getter(() => Node.prototype, 'parentNode');
export const isConnected = getter(() => Node.prototype, 'isConnected');
const nodeTypeOf = getter(() => Node.prototype, 'nodeType');
const ownerOf = getter(() => Node.prototype, 'ownerDocument');
export const tagOf = getter(() => Element.prototype, 'localName');
export const shadowOf = getter(() => Element.prototype, 'shadowRoot');
export const attributesOf = getter(() => Element.prototype, 'attributes');
const childrenOfElement = getter(() => Element.prototype, 'children');
const hostOfShadow = getter(() => ShadowRoot.prototype, 'host');
const contentOf = getter(() => HTMLIFrameElement.prototype, 'contentDocument');
const viewOf = getter(() => Document.prototype, 'defaultView');
export const addressOf = getter(() => Document.prototype, 'URL');
export const rootElementOf = getter(() => Document.prototype, 'documentElement');

export const HTML = 'http://www.w3.org/1999/xhtml';

export type Root = Document | ShadowRoot;

/** A property that every element has. */
export function read<K extends keyof Element>(element: Element, name: K): Element[K] {
  return getter(() => Element.prototype, name)(element);
}

export function attribute(element: Element, name: string): string | null {
  return Element.prototype.getAttribute.call(element, name);
}

export function rootOf(element: Element): Root {
  return Node.prototype.getRootNode.call(element) as Root; // the root of what is on the page is one of the two
}

export function isElement(node: Node | null): node is Element {
  return node !== null && nodeTypeOf(node) === 1;
}

export function isShadow(node: Node | null): node is ShadowRoot {
  return node !== null && nodeTypeOf(node) === 11;
}

export function documentOf(element: Element): Document {
  return ownerOf(element) ?? document;
}

/** The document in a frame of the same site; null for other sites' and for everything else. */
export function documentIn(element: Element): Document | null {
  // In a frame every class is another one, so the tag has to tell; HTML knows no other element of that name.
  return tagOf(element) === 'iframe' && element.namespaceURI === HTML ? contentOf(element as HTMLIFrameElement) : null;
}

/** The frame that a document is in; null for the page itself. */
export function frameOf(inner: Document): Element | null {
  return inner === document ? null : (viewOf(inner)?.frameElement ?? null);
}

/** Up through shadow roots and out of frames. */
export function parentElementOf(element: Element): Element | null {
  const parent = parentOf(element);
  if (isElement(parent)) return parent;
  return isShadow(parent) ? hostOfShadow(parent) : frameOf(documentOf(element));
}

export function childrenOf(element: Element): readonly Element[] {
  const shadow = shadowOf(element);
  if (shadow !== null) return [...shadow.children];
  const inner = documentIn(element);
  return inner === null ? [...childrenOfElement(element)] : [rootElementOf(inner)];
}

/** The element and what stands beside it. */
export function siblingsOf(element: Element): readonly Element[] {
  const parent = parentOf(element);
  if (isElement(parent)) return [...childrenOfElement(parent)];
  return isShadow(parent) ? [...parent.children] : [element];
}

/** What a selector finds in one root; nothing, if it cannot be read. */
export function query(root: Root, selector: string): Element[] {
  try {
    return [...methodsOf(root).querySelectorAll.call(root, selector)];
  } catch {
    return [];
  }
}

/** A document and every open shadow root in it. */
export function allRoots(from: Root): Root[] {
  const inside = query(from, '*').flatMap((element) => {
    const shadow = shadowOf(element);
    return shadow === null ? [] : allRoots(shadow);
  });
  return [from, ...inside];
}

export function elementsAt(root: Root, x: number, y: number): Element[] {
  return methodsOf(root).elementsFromPoint.call(root, x, y);
}

interface RootMethods {
  querySelectorAll: (selector: string) => Iterable<Element>;
  elementsFromPoint: (x: number, y: number) => Element[];
}

function methodsOf(root: Root): RootMethods {
  return isShadow(root) ? ShadowRoot.prototype : Document.prototype;
}
