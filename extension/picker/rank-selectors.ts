import { isGeneratedName } from '../inspect/generated-name.ts';

/** What a selector can be made of; the element itself, or one that it is in. */
export interface NodeFacts {
  readonly tag: string;
  readonly id: string;
  readonly classes: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
  /** Its place among siblings of the same tag, from 1, and how many those are. */
  readonly place: number;
  readonly alike: number;
}

/** What a selector goes by, the most lasting first. */
const KINDS = {
  test_id: 'A test id: it is there for programs, and stays when looks and words change.',
  id: 'An id that somebody chose.',
  name: 'The name that its form sends it under.',
  label: 'Its name for screen readers. It changes with the language of the page.',
  attribute: 'An attribute that says what it is.',
  data: 'Data that the page keeps with it.',
  anchored: 'Looked for inside something that lasts.',
  class: 'Its classes. They change when the page gets a new look.',
  numbered: 'It holds a number or a generated part, which may be another one tomorrow.',
  path: 'Its place in the page and nothing else. It breaks when something is added before it.',
} as const;

type Kind = keyof typeof KINDS;

export interface RankedSelector {
  readonly selector: string;
  readonly kind: Kind;
  readonly reason: string;
  /** How many elements of the page it finds, this one included. */
  readonly count: number;
}

interface Candidate {
  readonly selector: string;
  readonly kind: Kind;
}

const MAX_SHOWN = 8;
const MAX_VALUE = 80;
/** As long as the panel's field takes them. */
const MAX_SELECTOR = 2000;
const MAX_DATA = 3;
const TEST_IDS = ['data-testid', 'data-test', 'data-test-id', 'data-qa', 'data-cy'];
const SPEAKING = ['role', 'type', 'for', 'placeholder', 'title', 'alt', 'href'];
const IDENTIFIER = /^-?[a-z_][\w-]*$/i;

/** The attributes that matter to a selector, or to whoever looks for one. */
export function isTelling(name: string): boolean {
  return name === 'name' || TEST_IDS.includes(name) || SPEAKING.includes(name) || /^(data|aria)-/.test(name);
}

/**
 * Selectors for the first element of `trail` (then its parent, and so on up), best first: those that find it alone before those that find
 * more, and within these by how long they last. `count` tells how many elements a selector finds.
 */
export function rankSelectors(
  trail: readonly NodeFacts[],
  count: (selector: string) => number,
): readonly RankedSelector[] {
  const [element, ...above] = trail;
  if (element === undefined) return [];
  const anchor = anchorOf(above, count);
  const found = [...marks(element), ...(anchor === null ? [] : [anchored(element, anchor)])];
  const known = new Set<string>();
  const ranked = found
    .filter(({ selector }) => selector.length <= MAX_SELECTOR && !known.has(selector) && known.add(selector))
    .map((candidate) => ({ ...candidate, reason: KINDS[candidate.kind], count: count(candidate.selector) }))
    .filter((candidate) => candidate.count > 0)
    .sort((a, b) => Number(a.count > 1) - Number(b.count > 1) || order(a.kind) - order(b.kind))
    .slice(0, MAX_SHOWN - 1);
  const path = shortestPath(trail, count);
  if (path === null || known.has(path.selector)) return ranked;
  return [...ranked, { ...path, kind: 'path', reason: KINDS.path }];
}

function order(kind: Kind): number {
  return Object.keys(KINDS).indexOf(kind);
}

/** What the element itself says about itself. */
function marks({ tag, id, classes, attributes }: NodeFacts): Candidate[] {
  const found: Candidate[] = [];
  const add = (kind: Kind, selector: string): void => void found.push({ kind, selector });
  for (const name of TEST_IDS) {
    const value = usable(attributes[name]);
    if (value !== null) add(isGeneratedName(value) ? 'numbered' : 'test_id', `[${name}=${quoted(value)}]`);
  }
  if (usable(id) !== null && !isGeneratedName(id)) add('id', IDENTIFIER.test(id) ? `#${id}` : `[id=${quoted(id)}]`);
  const stable = (name: string): string | null => {
    const value = usable(attributes[name]);
    return value === null || isGeneratedName(value) ? null : `${tag}[${name}=${quoted(value)}]`;
  };
  for (const [kind, names] of [
    ['name', ['name']],
    ['label', ['aria-label']],
    ['attribute', SPEAKING],
  ] as const) {
    for (const selector of names.map(stable)) if (selector !== null) add(kind, selector);
  }
  const data = Object.keys(attributes).filter((name) => name.startsWith('data-') && !TEST_IDS.includes(name));
  for (const name of data.filter((one) => IDENTIFIER.test(one) && !isGeneratedName(one)).slice(0, MAX_DATA)) {
    // A value that differs from element to element still marks all of them.
    add('data', stable(name) ?? `${tag}[${name}]`);
  }
  const lasting = lastingClasses(classes);
  if (lasting !== '') add('class', tag + lasting);
  return found;
}

/** The nearest element around it that can be found by something that lasts, and only there. */
function anchorOf(above: readonly NodeFacts[], count: (selector: string) => number): string | null {
  for (const facts of above) {
    for (const { kind, selector } of marks(facts)) {
      if (['test_id', 'id', 'name', 'label'].includes(kind) && count(selector) === 1) return selector;
    }
  }
  return null;
}

function anchored({ tag, classes }: NodeFacts, anchor: string): Candidate {
  return { kind: 'anchored', selector: `${anchor} ${tag}${lastingClasses(classes)}` };
}

/** As few steps up as tell it from all others; null when even the whole path does not. */
function shortestPath(
  trail: readonly NodeFacts[],
  count: (selector: string) => number,
): { selector: string; count: number } | null {
  let selector = '';
  for (const { tag, id, place, alike } of trail) {
    const isLasting = usable(id) !== null && IDENTIFIER.test(id) && !isGeneratedName(id) && selector !== '';
    const step = isLasting ? `#${id}` : alike > 1 ? `${tag}:nth-of-type(${place})` : tag;
    selector = selector === '' ? step : `${step} > ${selector}`;
    if (selector.length > MAX_SELECTOR) return null;
    if (count(selector) === 1) return { selector, count: 1 };
  }
  return null;
}

function lastingClasses(classes: readonly string[]): string {
  const lasting = classes.filter((name) => IDENTIFIER.test(name) && !isGeneratedName(name) && name.length < MAX_VALUE);
  return lasting
    .slice(0, 2)
    .map((name) => `.${name}`)
    .join('');
}

function usable(value: string | undefined): string | null {
  return value === undefined || value === '' || value.length > MAX_VALUE || /[\n\r\f\0]/.test(value) ? null : value;
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}
