import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../shared/json.ts';
import { createResultStore, type ResultStore } from './handles.ts';
import { charsOf } from './measure.ts';
import type { ResultPage, ResultWindow } from './read-window.ts';

function read(value: JsonValue, window?: ResultWindow): ResultPage {
  const store = createResultStore();
  return pageOf(store, store.put(value)!, window);
}

/** Without a thread for large results nobody waits. */
function pageOf(store: ResultStore, handle: string, window?: ResultWindow): ResultPage {
  const page = store.read(handle, window);
  if (page instanceof Promise) throw new TypeError('it has to be waited for');
  return page;
}

/** Reads page after page, as a caller would, until there is no next one. */
function readAll(value: JsonValue, window: ResultWindow): ResultPage[] {
  const pages: ResultPage[] = [];
  let offset: number | null = 0;
  while (offset !== null) {
    const page = read(value, { ...window, offset });
    pages.push(page);
    offset = page.kind === 'value' ? null : page.next_offset;
    if (pages.length > 1000) throw new Error('reading on does not end');
  }
  return pages;
}

describe('keeping results', () => {
  it('K-50 forgets a result after an hour', () => {
    let now = 1_000_000;
    const store = createResultStore({ now: () => now });
    const handle = store.put({ a: 1 })!;
    now += 3_599_999;
    expect(store.get(handle)).toEqual({ a: 1 });
    now += 1;
    expect(() => store.get(handle)).toThrow(expect.objectContaining({ code: 'result_not_found' }));
    expect(() => store.read(handle)).toThrow(expect.objectContaining({ code: 'result_not_found' }));
  });

  it('K-50 drops the oldest when they are too large together', () => {
    const store = createResultStore({ maxBytes: 102 });
    const [a, b, c] = ['a', 'b', 'c'].map((letter) => store.put(letter.repeat(40))!);
    expect(() => store.get(a!)).toThrow(expect.objectContaining({ code: 'result_not_found' }));
    expect([store.get(b!), store.get(c!)]).toEqual(['b'.repeat(40), 'c'.repeat(40)]);
    const d = store.put('d'.repeat(100))!;
    expect(() => store.get(c!)).toThrow(expect.objectContaining({ code: 'result_not_found' }));
    expect(store.get(d)).toBe('d'.repeat(100));
  });

  it('K-50 does not give up what it has for a result it cannot keep', () => {
    const store = createResultStore({ maxBytes: 100 });
    const kept = store.put('kept')!;
    expect(store.put('x'.repeat(99))).toBeNull();
    expect(store.get(kept)).toBe('kept');
  });

  it('K-50 counts bytes, whatever the value looks like', () => {
    const store = createResultStore({ maxBytes: 100 });
    expect(store.put('😀'.repeat(25))).toBeNull();
    expect(store.put('ä'.repeat(50))).toBeNull();
    expect(store.put(Array.from({ length: 33 }, () => []))).not.toBeNull();
    expect(store.put(Array.from({ length: 34 }, () => []))).toBeNull();
  });

  it.each<[string, JsonValue]>([
    ['text', 'a\n"\\\u2028😀'],
    ['half a character', ['\ud83d', 'x\udc00']],
    [
      'a key that is a name of JavaScript',
      JSON.parse('{"__proto__": {"constructor": 1}, "toString": null}') as JsonValue,
    ],
    ['nothing', null],
    ['numbers', [0, -1.5, 1e300, 2 ** 53]],
  ])('K-50 gives back what it was given: %s', (_, value) => {
    const store = createResultStore();
    const given = store.put(value)!;
    const written = store.put(value, JSON.stringify(value))!;
    expect(store.get(given)).toEqual(value);
    expect(JSON.stringify(store.get(given))).toBe(JSON.stringify(value));
    expect(store.get(written)).toEqual(value);
  });

  it('K-50 keeps what it was given, also when that changes later', () => {
    const store = createResultStore();
    const value = { list: [1] };
    const handle = store.put(value)!;
    value.list.push(2);
    expect(store.get(handle)).toEqual({ list: [1] });
  });

  it.each(['', 'res_', 'res_000000000000000000000000', '__proto__'])('K-50 knows nothing of %j', (handle) => {
    const store: ResultStore = createResultStore();
    expect(() => store.read(handle)).toThrow(expect.objectContaining({ code: 'result_not_found' }));
  });
});

describe('reading pages', () => {
  const rows = Array.from({ length: 120 }, (_, id) => ({ id, name: `row ${id}` }));

  it('K-50 a list by its items, 50 at a time', () => {
    expect(read(rows)).toEqual({ kind: 'items', items: rows.slice(0, 50), offset: 0, total: 120, next_offset: 50 });
    expect(read(rows, { offset: 100 })).toEqual({
      kind: 'items',
      items: rows.slice(100),
      offset: 100,
      total: 120,
      next_offset: null,
    });
    expect(read(rows, { offset: 3, limit: 2 })).toMatchObject({ items: rows.slice(3, 5), next_offset: 5 });
    expect(read(rows, { offset: 999 })).toMatchObject({ items: [], next_offset: null });
  });

  it('K-50 a text by its characters, 8,000 at a time', () => {
    const text = 'abcdefghij'.repeat(1000);
    expect(read(text)).toEqual({
      kind: 'text',
      text: text.slice(0, 8000),
      offset: 0,
      total: 10_000,
      next_offset: 8000,
    });
    expect(read(text, { offset: 9995, limit: 3 })).toMatchObject({ text: 'fgh', next_offset: 9998 });
    expect(read(text, { offset: 9998, limit: 3 })).toMatchObject({ text: 'ij', next_offset: null });
    expect(read(text, { offset: 99_999 })).toMatchObject({ text: '', offset: 10_000, next_offset: null });
  });

  it.each([1, 2, 3])('K-50 pages of %i characters put together are the text, with no character cut in two', (limit) => {
    const text = 'a😀b😀😀c';
    const pages = readAll(text, { limit }).map((page) => (page.kind === 'text' ? page.text : ''));
    expect(pages.join('')).toBe(text);
    expect(pages.every((page) => page.isWellFormed())).toBe(true);
  });

  it('K-50 a small object whole, a large one as text', () => {
    expect(read({ a: 1 })).toEqual({ kind: 'value', value: { a: 1 } });
    expect(read(null)).toEqual({ kind: 'value', value: null });
    const large = { text: 'x'.repeat(20_000) };
    expect(
      readAll(large, {})
        .map((page) => (page.kind === 'text' ? page.text : ''))
        .join(''),
    ).toBe(JSON.stringify(large, null, 2));
  });

  it('K-50 a page of large items still fits, and reading on reaches all of them', () => {
    const items = Array.from({ length: 40 }, (_, id) => ({ id, text: 'x'.repeat(id === 7 ? 90_000 : 1500) }));
    const pages = readAll(items, {});
    expect(pages.length).toBeGreaterThan(3);
    for (const page of pages) expect(charsOf(page as unknown as JsonValue)).toBeLessThan(17_000);
    const seen = pages.flatMap((page) => (page.kind === 'items' ? page.items : []));
    expect(seen).toHaveLength(40);
    expect(seen[6]).toEqual(items[6]);
    expect(seen[7]).toMatchObject({ truncated: true, path: '[7]', total_chars: charsOf(items[7]!) });
    expect(read(items, { path: '[7].text', limit: 5 })).toMatchObject({ kind: 'text', text: 'xxxxx', total: 90_000 });
  });

  it('K-50 nonsense counts as nothing said', () => {
    expect(read(rows, { offset: -5, limit: 0 })).toMatchObject({ offset: 0, items: rows.slice(0, 1) });
    expect(read(rows, { offset: NaN, limit: NaN })).toMatchObject({ offset: 0, items: rows.slice(0, 50) });
    expect(read(rows, { offset: 1.9, limit: 2.9 })).toMatchObject({ offset: 1, items: rows.slice(1, 3) });
  });
});

describe('reading at a path', () => {
  const value = {
    data: {
      rows: [
        { id: 1, tags: ['x'] },
        { id: 2, tags: ['y', 'z'] },
      ],
    },
    note: 'hello',
  };

  it.each<[string, ResultWindow, object]>([
    ['a list', { path: 'data.rows' }, { kind: 'items', items: value.data.rows }],
    ['one value', { path: 'data.rows[1].id' }, { kind: 'value', value: 2 }],
    ['a column', { path: 'data.rows[].id' }, { kind: 'items', items: [1, 2] }],
    ['through two lists', { path: 'data.rows[].tags[]', offset: 1 }, { kind: 'items', items: ['y', 'z'], total: 3 }],
    ['a text', { path: 'note', limit: 2 }, { kind: 'text', text: 'he', next_offset: 2 }],
  ])('K-50 %s', (_title, window, page) => {
    expect(read(value, window)).toMatchObject(page);
  });

  it('K-50 says how the result is built when there is nothing', () => {
    expect(() => read(value, { path: 'data.items' })).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        message: 'the result has nothing at data.items',
        hint: 'It is built like this: {data: {rows: list of 2: {id: number, tags: list of 1 to 2: text}}, note: text}',
      }),
    );
    expect(() => read(value, { path: '__proto__' })).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });
});

describe('searching', () => {
  const people = [
    { name: 'Ana', city: 'Łódź' },
    { name: 'Bo', tags: ['ANALYST'] },
    { name: 'Cy', age: 41 },
  ];

  it.each<[string, JsonValue, ResultWindow, unknown[]]>([
    [
      'items, anywhere in them',
      people,
      { search: 'ana' },
      [
        { index: 0, item: people[0] },
        { index: 1, item: people[1] },
      ],
    ],
    ['items by a number', people, { search: '41' }, [{ index: 2, item: people[2] }]],
    ['items by any script', people, { search: 'łódź' }, [{ index: 0, item: people[0] }]],
    ['names of fields are not searched', people, { search: 'city' }, []],
    [
      'lines',
      'one\nTwo errors\r\nthree\nerror',
      { search: 'ERROR' },
      [
        { line: 2, text: 'Two errors' },
        { line: 4, text: 'error' },
      ],
    ],
    ['below a path', { p: people }, { search: 'cy', path: 'p' }, [{ index: 2, item: people[2] }]],
    [
      'values of an object',
      { a: { b: ['x', 'Find me'] }, 'c.d': 'find' },
      { search: 'find' },
      [
        { path: 'a.b[1]', value: 'Find me' },
        { path: '["c.d"]', value: 'find' },
      ],
    ],
    [
      'values of an object at a path',
      { r: { s: { t: 'find' } } },
      { search: 'find', path: 'r' },
      [{ path: 'r.s.t', value: 'find' }],
    ],
  ])('K-50 %s', (_title, value, window, matches) => {
    expect(read(value, window)).toEqual({
      kind: 'matches',
      matches,
      offset: 0,
      total: matches.length,
      next_offset: null,
    });
  });

  it('K-50 pages through matches', () => {
    const lines = Array.from({ length: 120 }, (_, index) => `hit ${index}`).join('\n');
    expect(read(lines, { search: 'hit' })).toMatchObject({ total: 120, next_offset: 50 });
    expect(read(lines, { search: 'hit', offset: 118 })).toMatchObject({
      matches: [
        { line: 119, text: 'hit 118' },
        { line: 120, text: 'hit 119' },
      ],
      next_offset: null,
    });
  });

  it('K-50 shows only what is around a match in a long line', () => {
    const page = read(`${'x'.repeat(100_000)}needle${'y'.repeat(100_000)}`, { search: 'needle' });
    expect(page).toMatchObject({ matches: [{ line: 1, text: expect.stringMatching(/^…x+needley+…$/) }] });
    expect(charsOf(page as unknown as JsonValue)).toBeLessThan(1000);
  });

  it('K-50 a path that a search found leads there', () => {
    const value = { a: [{ 'k.1': { deep: 'needle' } }] };
    const page = read(value, { search: 'needle' });
    const [match] = page.kind === 'matches' ? page.matches : [];
    expect(match).toEqual({ path: 'a[0]["k.1"].deep', value: 'needle' });
    expect(read(value, { path: 'a[0]["k.1"].deep' })).toMatchObject({ text: 'needle' });
  });
});
