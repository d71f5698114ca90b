import { describe, expect, it } from 'vitest';
import { destination, hasSite, rankTabs, type OwnTab, type Wanted } from './choose-tab.ts';
import { matchPattern } from './match-pattern.ts';
import type { TabInfo } from './tab-mirror.ts';

const SITE = 'https://jira.acme.com';

function tab(id: number, path: string, changes: Partial<TabInfo> = {}): TabInfo {
  return {
    id,
    windowId: 1,
    url: path.startsWith('/') ? SITE + path : path,
    documentId: `doc${id}`,
    active: false,
    isLoading: false,
    isParsed: true,
    isDiscarded: false,
    isFrozen: false,
    lastAccessed: id,
    ...changes,
  };
}

function wanted(changes: Partial<Wanted> = {}): Wanted {
  return {
    hostMatch: `${SITE}/*`,
    pattern: matchPattern(`${SITE}/*`),
    url: `${SITE}/issues/`,
    onTarget: null,
    loginRedirect: '/login.jsp',
    strategy: 'reuse',
    ...changes,
  };
}

const OWN: Record<number, OwnTab> = {
  10: { hostMatch: `${SITE}/*`, strategy: 'reuse' },
  11: { hostMatch: `${SITE}/*`, strategy: 'persistent' },
  12: { hostMatch: `${SITE}/*`, strategy: 'ephemeral' },
  13: { hostMatch: 'https://other.example/*', strategy: 'reuse' },
};

const order = (tabs: TabInfo[], wish: Wanted, stuck: number[] = []) =>
  rankTabs(
    tabs,
    wish,
    (id) => OWN[id],
    ({ id }) => stuck.includes(id),
  ).map(({ tab: { id }, goTo }) => [id, goTo]);

describe('C-34 C-35 where a tab has to go', () => {
  it.each([
    ['/issues/?filter=1', { onTarget: '/issues/' }, null],
    ['/browse/A-1', { onTarget: '/issues/' }, `${SITE}/issues/`],
    ['/issues/', { onTarget: null }, `${SITE}/issues/`],
    ['/issues/', { onTarget: '' }, `${SITE}/issues/`],
    ['/anything', { url: null }, null],
    ['https://sso.example/', { url: null }, `${SITE}/`],
    ['/login.jsp?next=/issues/', { onTarget: '/issues/' }, `${SITE}/issues/`],
    ['/login.jsp', { url: null }, `${SITE}/`],
    ['/login.jsp', { url: null, loginRedirect: '' }, null],
    ['https://other.example/issues/', { onTarget: '/issues/' }, `${SITE}/issues/`],
  ])('%s with %j → %s', (path, changes, expected) => {
    expect(destination(tab(1, path), wanted(changes))).toBe(expected);
  });
});

describe('W-12 choosing a tab', () => {
  it('takes Forge’s own first, then the one used last', () => {
    expect(
      order([tab(1, '/a'), tab(3, '/b'), tab(2, '/c'), tab(10, '/d', { lastAccessed: 0 })], wanted({ url: null })),
    ).toEqual([10, 3, 2, 1].map((id) => [id, null]));
  });

  it('uses the tab in front where it stands, and never sends it elsewhere', () => {
    const front = tab(1, '/issues/', { active: true });
    expect(order([front], wanted({ onTarget: '/issues/' }))).toEqual([[1, null]]);
    expect(order([front], wanted({ onTarget: '/browse/' }))).toEqual([]);
    expect(order([tab(10, '/x', { active: true })], wanted())).toEqual([]);
  });

  it('leaves out other sites, frozen tabs, stuck ones and those of single calls', () => {
    const tabs = [
      tab(1, 'https://other.example/'),
      tab(2, '/a', { isFrozen: true }),
      tab(3, '/b'),
      tab(12, '/c'),
      tab(13, '/d'),
    ];
    expect(order(tabs, wanted({ url: null }), [3])).toEqual([[13, null]]);
  });

  it('takes its own tab back from a login page elsewhere', () => {
    expect(order([tab(10, 'https://sso.example/')], wanted())).toEqual([[10, `${SITE}/issues/`]]);
  });

  it('opens a new tab for ephemeral calls, and keeps to its own for persistent ones', () => {
    const tabs = [tab(1, '/a'), tab(10, '/b'), tab(11, '/c')];
    expect(order(tabs, wanted({ strategy: 'ephemeral' }))).toEqual([]);
    expect(order(tabs, wanted({ strategy: 'persistent', url: null }))).toEqual([[11, null]]);
  });
});

it('S1 a site is not open because Forge’s own page is', () => {
  const wish = wanted({ pattern: matchPattern('http://127.0.0.1/*') });
  const isOwnPage = (url: string): boolean => url.startsWith('http://127.0.0.1:8403/');
  const own = tab(1, 'http://127.0.0.1:8403/');
  expect(hasSite([own], wish, isOwnPage)).toBe(false);
  expect(hasSite([own, tab(2, 'http://127.0.0.1:5000/')], wish, isOwnPage)).toBe(true);
});

describe('K-55 whether a site is open', () => {
  it.each([
    ['a page of it', ['https://other.example/', '/browse/A-1'], true],
    ['its login page only', ['/login.jsp?next=/issues/'], false],
    ['its login page and another', ['/login.jsp', '/issues/'], true],
    ['other sites only', ['https://other.example/', 'https://jira.acme.com.evil.example/'], false],
    ['nothing', [], false],
  ])('%s', (_, paths, has) => {
    const tabs = paths.map((path, index) => tab(index, path));
    expect(hasSite(tabs, wanted(), () => false)).toBe(has);
  });
});
