import { MAX_ADDRESS, type Picked } from '../picked.ts';
import { isTelling, rankSelectors, type NodeFacts } from '../rank-selectors.ts';
import {
  addressOf,
  allRoots,
  attribute,
  attributesOf,
  documentOf,
  isElement,
  isShadow,
  parentOf,
  query,
  rootOf,
  siblingsOf,
  tagOf,
} from './dom.ts';
import { nameOf, roleOf, textOf } from './words.ts';

const MAX_VALUE = 200;
const MAX_ATTRIBUTES = 16;
const MAX_TRAIL = 40;

/** An element as the panel shows it. */
export function describe(element: Element): Picked {
  const root = rootOf(element);
  const inner = documentOf(element);
  const roots = isShadow(root) ? allRoots(inner) : [root];
  const count = (selector: string): number => roots.reduce((sum, one) => sum + query(one, selector).length, 0);
  const shown = [...attributesOf(element)].filter(({ name }) => name === 'id' || name === 'class' || isTelling(name));
  return {
    tag: cut(tagOf(element)),
    role: roleOf(element),
    name: nameOf(element),
    text: textOf(element, MAX_VALUE),
    attributes: shown.slice(0, MAX_ATTRIBUTES).map(({ name, value }) => [cut(name), cut(value)] as const),
    isInShadow: isShadow(root),
    frameUrl: inner === document ? null : addressOf(inner).slice(0, MAX_ADDRESS),
    selectors: rankSelectors(trailOf(element), count),
  };
}

/** The element, its parent and so on, as far as one selector reaches. */
function trailOf(element: Element): NodeFacts[] {
  const trail: NodeFacts[] = [];
  let at: Node | null = element;
  while (isElement(at) && trail.length < MAX_TRAIL) {
    trail.push(factsOf(at));
    at = parentOf(at);
  }
  return trail;
}

function factsOf(element: Element): NodeFacts {
  const tag = tagOf(element);
  const alike = siblingsOf(element).filter((one) => tagOf(one) === tag);
  const telling = [...attributesOf(element)].filter(({ name }) => isTelling(name)).slice(0, 50);
  return {
    tag,
    id: attribute(element, 'id') ?? '',
    classes: (attribute(element, 'class') ?? '').split(/\s+/).filter((name) => name !== ''),
    attributes: Object.fromEntries(telling.map(({ name, value }) => [name, value])),
    place: alike.indexOf(element) + 1,
    alike: alike.length,
  };
}

function cut(text: string): string {
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
