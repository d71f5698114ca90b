import { isGeneratedName } from '../generated-name.ts';

const STABLE = 'data-testid data-test data-test-id data-qa data-cy name aria-label role type'.split(' ');
const MAX_VALUE = 60;

/** The id, if somebody chose it. */
export function lastingId({ id }: Element): string {
  // A form gives out its field of that name instead.
  return typeof id === 'string' && !isGeneratedName(id) ? id : '';
}

export function lastingClasses(element: Element): string[] {
  return [...element.classList].filter((name) => !isGeneratedName(name));
}

/** Finds this element and no other in its document or shadow root, by what is likely to be the same tomorrow. */
export function lastingSelector(element: Element): string {
  const root = element.getRootNode() as Document | ShadowRoot; // the root of a connected element is one of the two
  const isOnly = (selector: string): boolean => root.querySelectorAll(selector).length === 1;
  const own = ownMarks(element);
  if (isOnly(own)) return own;
  let selector = step(element);
  for (let up = element.parentElement; up !== null && !isOnly(selector); up = up.parentElement)
    selector = `${step(up)} > ${selector}`;
  return selector;
}

function ownMarks(element: Element): string {
  const tag = CSS.escape(element.localName);
  const id = lastingId(element);
  if (id !== '') return `#${CSS.escape(id)}`;
  for (const name of STABLE) {
    const value = element.getAttribute(name) ?? '';
    if (value !== '' && value.length < MAX_VALUE && !isGeneratedName(value)) return `${tag}[${name}=${quoted(value)}]`;
  }
  const classes = lastingClasses(element).slice(0, 2);
  return tag + classes.map((name) => `.${CSS.escape(name)}`).join('');
}

/** Counted among its siblings only where its own marks do not tell it from them. */
function step(element: Element): string {
  const own = ownMarks(element);
  const siblings = [...(element.parentElement?.children ?? [])];
  if (siblings.filter((other) => other.matches(own)).length < 2) return own;
  const place = siblings.filter((other) => other.localName === element.localName).indexOf(element) + 1;
  return `${own}:nth-of-type(${place})`;
}

function quoted(value: string): string {
  return `"${CSS.escape(value).replaceAll('\\ ', ' ')}"`;
}
