import { attribute, documentOf, isElement, parentOf, tagOf } from './dom.ts';

const MAX_NAME = 120;
const UNSEEN = /^(script|style|noscript|template)$/;

/** The roles that elements have without saying so, as far as a person who looks for an element thinks of them. */
const ROLES: Partial<Record<string, string>> = {
  article: 'article',
  aside: 'complementary',
  button: 'button',
  dialog: 'dialog',
  footer: 'contentinfo',
  form: 'form',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
  header: 'banner',
  img: 'img',
  li: 'listitem',
  main: 'main',
  nav: 'navigation',
  ol: 'list',
  option: 'option',
  progress: 'progressbar',
  select: 'combobox',
  table: 'table',
  td: 'cell',
  textarea: 'textbox',
  th: 'columnheader',
  tr: 'row',
  ul: 'list',
};

const INPUT_ROLES: Partial<Record<string, string>> = {
  button: 'button',
  checkbox: 'checkbox',
  image: 'button',
  number: 'spinbutton',
  radio: 'radio',
  range: 'slider',
  reset: 'button',
  search: 'searchbox',
  submit: 'button',
};

export function roleOf(element: Element): string {
  const said = attribute(element, 'role')?.trim().split(/\s+/)[0] ?? '';
  if (said !== '') return said.slice(0, MAX_NAME);
  const tag = tagOf(element);
  if (tag === 'a') return attribute(element, 'href') === null ? '' : 'link';
  if (tag === 'input') return INPUT_ROLES[attribute(element, 'type')?.toLowerCase() ?? 'text'] ?? 'textbox';
  return ROLES[tag] ?? '';
}

/** What a screen reader would call it, in the ways that pages mostly use. */
export function nameOf(element: Element): string {
  const said = attribute(element, 'aria-label') ?? '';
  const named = said.trim() !== '' ? said : labelledBy(element);
  const own = /^(a|button|h[1-6]|label|legend|option|summary|th|td)$/.test(tagOf(element))
    ? textOf(element, MAX_NAME)
    : '';
  const rest = ['alt', 'title', 'placeholder'].map((name) => attribute(element, name) ?? '');
  return tidy([named, own, ...rest].find((text) => text.trim() !== '') ?? '', MAX_NAME);
}

function labelledBy(element: Element): string {
  const inner = documentOf(element);
  const ids = (attribute(element, 'aria-labelledby') ?? '').split(/\s+/).filter((id) => id !== '');
  const labels = ids.slice(0, 5).map((id) => Document.prototype.getElementById.call(inner, id));
  const isField = /^(input|select|textarea)$/.test(tagOf(element));
  const own = isField ? (element as HTMLInputElement).labels : null; // all three have them
  return [...labels, ...(own ?? [])].map((label) => (label === null ? '' : textOf(label, MAX_NAME))).join(' ');
}

/** The words inside, without those that nobody sees; never the whole of a long page. */
export function textOf(element: Element, max: number): string {
  const walker = Document.prototype.createTreeWalker.call(documentOf(element), element, NodeFilter.SHOW_TEXT);
  let text = '';
  while (text.length < max * 4 && walker.nextNode() !== null) {
    const parent = parentOf(walker.currentNode);
    if (isElement(parent) && UNSEEN.test(tagOf(parent))) continue;
    text += ` ${(walker.currentNode.nodeValue ?? '').slice(0, max * 4)}`;
  }
  return tidy(text, max);
}

function tidy(text: string, max: number): string {
  const short = text.replace(/\s+/g, ' ').trim();
  return short.length > max ? `${short.slice(0, max)}…` : short;
}
