import { describe, expect, it } from 'vitest';
import {
  cellText,
  cutResult,
  filesIn,
  linkIn,
  matchRows,
  shownBytes,
  tableColumns,
  tableRows,
  viewsOf,
} from './result-shape.ts';

describe('looking at a result', () => {
  it('shows a list of objects as a table first, text as text, and the rest as JSON', () => {
    expect(viewsOf([{ a: 1 }, { b: 2 }])).toEqual(['table', 'json', 'text']);
    expect(viewsOf([{ a: 1 }, 2])).toEqual(['json', 'text']);
    expect(viewsOf([])).toEqual(['json', 'text']);
    expect(viewsOf('words')).toEqual(['text']);
  });

  it('takes the columns from all rows and says how many it leaves out', () => {
    const rows = tableRows([{ a: 1 }, { b: null, a: { c: 1 } }]) ?? [];
    expect(tableColumns(rows)).toEqual({ shown: ['a', 'b'], more: 0 });
    const wide = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`c${index}`, index]));
    expect(tableColumns([wide])).toMatchObject({ more: 3 });
    expect([cellText(rows[1]?.['a']), cellText(null), cellText('x'), cellText(false)]).toEqual([
      '{"c":1}',
      '',
      'x',
      'false',
    ]);
  });

  it('shows what a search found as the rows it stands in', () => {
    const line = { line: 3, text: 'found' };
    expect(matchRows([{ index: 7, item: { a: 1 } }, line, 'x'])).toEqual([{ a: 1 }, line, 'x']);
  });

  it('recognises a result that was cut', () => {
    expect(cutResult({ truncated: true, head: '[1', shape: 'list of 9', total_chars: 99, handle: 'res_1' })).toEqual({
      head: '[1',
      shape: 'list of 9',
      totalChars: 99,
    });
    expect(cutResult({ truncated: true })).toBeNull();
    expect(cutResult([1])).toBeNull();
  });

  it('offers only files that Forge itself keeps', () => {
    const file = {
      filename: 'a.pdf',
      path: '/x',
      file_url: `/api/files/${'a'.repeat(24)}`,
      size_bytes: 3400,
      content_type: 'application/pdf',
    };
    const found = { filename: 'a.pdf', url: file.file_url, sizeBytes: 3400, contentType: 'application/pdf' };
    expect(filesIn(file)).toEqual([found]);
    expect(filesIn([file, { filename: 'b', file_url: 'javascript:alert(1)' }])).toEqual([found]);
    expect(filesIn({ ok: true, files: [file] })).toEqual([found]);
    expect(filesIn({ filename: 'b', file_url: 'https://evil.test/api/files/aaaaaaaaaaaaaaaaaaaaaaaa' })).toEqual([]);
    expect([shownBytes(12), shownBytes(3400), shownBytes(2_500_000)]).toEqual(['12 B', '3.4 kB', '2.5 MB']);
  });

  it.each([
    ['https://a.test/x?y=1', true],
    ['HTTP://a.test', true],
    ['javascript:alert(1)', false],
    [' https://a.test', false],
    ['https://a b', false],
    ['//a.test', false],
    ['data:text/html,x', false],
  ])('%s may be a link: %s', (text, may) => expect(linkIn(text) !== null).toBe(may));
});
