import { describe, expect, it } from 'vitest';
import { rankSelectors, type NodeFacts } from './rank-selectors.ts';

function node(tag: string, more: Partial<NodeFacts> = {}): NodeFacts {
  return { tag, id: '', classes: [], attributes: {}, place: 1, alike: 1, ...more };
}

/** A page in which each selector finds one element, but for those named. */
const page =
  (others: Record<string, number> = {}) =>
  (selector: string) =>
    others[selector] ?? 1;

const BODY = node('body');

describe('C-121 K-13 ranking selectors', () => {
  it.each<[what: string, facts: NodeFacts, best: string, kind: string]>([
    [
      'a test id before everything',
      node('button', { id: 'save', attributes: { 'data-testid': 'save-button', 'aria-label': 'Save' } }),
      '[data-testid="save-button"]',
      'test_id',
    ],
    ['an id before names', node('input', { id: 'mail', attributes: { name: 'email' } }), '#mail', 'id'],
    ['an id that is no identifier', node('div', { id: 'a.b' }), '[id="a.b"]', 'id'],
    ['no generated id', node('input', { id: ':r1:', attributes: { name: 'email' } }), 'input[name="email"]', 'name'],
    [
      'a label before classes',
      node('button', { classes: ['primary'], attributes: { 'aria-label': 'Close "it"' } }),
      'button[aria-label="Close \\"it\\""]',
      'label',
    ],
    [
      'what says what it is',
      node('input', { classes: ['x'], attributes: { type: 'email' } }),
      'input[type="email"]',
      'attribute',
    ],
    [
      'data, by presence where the value is generated',
      node('tr', { classes: ['row'], attributes: { 'data-key': 'K-4711' } }),
      'tr[data-key]',
      'data',
    ],
    ['no generated class', node('div', { classes: ['css-1x2y3z', 'Title__aB3xY', 'card'] }), 'div.card', 'class'],
    [
      'a test id with a number only before the path',
      node('div', { classes: ['card'], attributes: { 'data-testid': 'card-10023' } }),
      'div.card',
      'class',
    ],
  ])('%s', (_what, facts, selector, kind) => {
    expect(rankSelectors([facts, BODY], page())[0]).toMatchObject({ selector, kind, count: 1 });
  });

  it('puts what finds it alone before what finds more, and the path last', () => {
    const row = node('li', { classes: ['row'], attributes: { 'data-testid': 'row' }, place: 3, alike: 4 });
    const ranked = rankSelectors(
      [row, node('ul', { id: 'list' }), BODY],
      page({ '[data-testid="row"]': 4, 'li.row': 4, '#list li.row': 1, 'li:nth-of-type(3)': 2 }),
    );
    expect(ranked.map(({ selector, count }) => [selector, count])).toEqual([
      ['#list li.row', 1],
      ['[data-testid="row"]', 4],
      ['li.row', 4],
      ['#list > li:nth-of-type(3)', 1],
    ]);
    expect(ranked.every(({ reason }) => reason.endsWith('.'))).toBe(true);
  });

  it('an element without any mark has its path, as short as it can be', () => {
    const trail = [
      node('span'),
      node('div', { place: 2, alike: 3 }),
      node('section', { id: 'row_4711' }),
      node('main', { id: 'main' }),
    ];
    const count = (selector: string) => (selector.startsWith('#main') ? 1 : 5);
    expect(rankSelectors(trail, count)).toEqual([
      expect.objectContaining({ selector: '#main span', kind: 'anchored', count: 1 }),
      expect.objectContaining({ selector: '#main > section > div:nth-of-type(2) > span', kind: 'path', count: 1 }),
    ]);
    expect(rankSelectors(trail, () => 2).map(({ kind }) => kind)).not.toContain('path');
    expect(rankSelectors([], page())).toEqual([]);
  });

  it('takes nothing from values that are long, broken over lines or found nowhere', () => {
    const attributes = { 'data-testid': 'x'.repeat(81), name: 'a\nb', 'aria-label': '' };
    expect(rankSelectors([node('a', { attributes })], page()).map(({ selector }) => selector)).toEqual(['a']);
    expect(rankSelectors([node('a', { id: 'gone' })], page({ '#gone': 0 }))).toHaveLength(1);
  });

  it('offers nothing over 2,000 characters, however the page is written', () => {
    const long = 'x'.repeat(1990);
    const marked = node(long, { classes: ['card'], attributes: { [`data-${long}`]: 'a', name: 'mail' } });
    const lengths = (trail: NodeFacts[], count = page()) =>
      rankSelectors(trail, count).map(({ selector, kind }) => [kind, selector.length]);
    // With its name it would be 2,003, inside of #main 2,001.
    expect(lengths([marked, node('main', { id: 'main' })])).toEqual([
      ['class', 1995],
      ['path', 1990],
    ]);
    const nested = Array.from({ length: 40 }, () => node('y'.repeat(60)));
    expect(lengths(nested, () => 2)).toEqual([]);
    const isWhole = (selector: string): number => (selector.split(' > ').length === 40 ? 1 : 2);
    expect(lengths(nested, isWhole)).toEqual([]);
    expect(
      lengths(
        nested.map(() => node('y')),
        isWhole,
      ),
    ).toEqual([['path', 157]]);
    const inLong = [node('b'), node('div', { id: `a${'b'.repeat(3000)}` }), node('main', { id: 'main' })];
    expect(lengths(inLong, (selector) => (selector.includes('main >') ? 1 : 2))).toEqual([['path', 15]]);
  });
});
