import { describe, expect, it } from 'vitest';
import { createTabMirror, type TabInfo } from './tab-mirror.ts';

const TAB: TabInfo = {
  id: 1,
  windowId: 1,
  url: 'https://a/',
  documentId: null,
  active: false,
  isLoading: false,
  isParsed: true,
  isDiscarded: false,
  isFrozen: false,
  lastAccessed: 5,
};

function mirrorOf(...tabs: Partial<TabInfo>[]) {
  const mirror = createTabMirror(() => 100);
  for (const tab of tabs) mirror.put({ ...TAB, ...tab });
  return mirror;
}

describe('the mirror of the tabs', () => {
  it('follows a tab through a navigation', () => {
    const mirror = mirrorOf({});
    mirror.updated(1, { isLoading: true });
    mirror.committed(1, 'https://a/b', 'doc2');
    expect(mirror.get(1)).toMatchObject({ url: 'https://a/b', documentId: 'doc2', isLoading: true, isParsed: false });
    mirror.moved(1, 'https://a/b#c');
    mirror.updated(1, { isLoading: false, isParsed: true });
    expect(mirror.get(1)).toMatchObject({ url: 'https://a/b#c', documentId: 'doc2', isLoading: false });
  });

  it('keeps the document’s name when the browser describes the same page again, and not otherwise', () => {
    const mirror = mirrorOf({ documentId: 'doc1' });
    mirror.put({ ...TAB, url: '' });
    expect(mirror.get(1)).toMatchObject({ url: 'https://a/', documentId: 'doc1' });
    mirror.put({ ...TAB, url: 'https://other/' });
    expect(mirror.get(1)).toMatchObject({ url: 'https://other/', documentId: null });
  });

  it('S1 never pairs a document with the address of another', () => {
    const mirror = mirrorOf({ documentId: 'doc1' });
    mirror.put({ ...TAB, url: '', documentId: 'doc2' });
    expect(mirror.get(1)).toMatchObject({ url: '', documentId: 'doc2' });
    mirror.put({ ...TAB, url: 'https://a/', documentId: 'doc3' });
    expect(mirror.get(1)).toMatchObject({ url: 'https://a/', documentId: 'doc3' });
  });

  it('knows which tab is in front in each window', () => {
    const mirror = mirrorOf({ id: 1, active: true }, { id: 2 }, { id: 3, windowId: 2, active: true });
    mirror.activated(2, 1);
    expect([...mirror.all()].map(({ id, active }) => [id, active])).toEqual([
      [1, false],
      [2, true],
      [3, true],
    ]);
    expect(mirror.get(2)?.lastAccessed).toBe(100);
  });

  it('forgets closed tabs and follows replaced ones', () => {
    const mirror = mirrorOf({ id: 1, documentId: 'doc1' }, { id: 2 });
    mirror.removed(2);
    mirror.replaced(1, 9);
    expect([...mirror.all()]).toEqual([{ ...TAB, id: 9, documentId: null }]);
    mirror.committed(77, 'https://x/', 'd');
    expect(mirror.get(77)).toBeUndefined();
  });
});
