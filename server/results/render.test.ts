import { describe, expect, it } from 'vitest';
import { renderError, renderResult } from './render.ts';

const line = { method: 'POST', url: 'https://ci.example.com/build', status: 201, statusText: 'Created', headers: {} };

describe('a result as text', () => {
  it('W-22 W-08 of an http tool is the line, the captured headers, then the body', () => {
    const response = { ...line, headers: { location: 'https://ci.example.com/queue/7', 'x-more-data': 'true' } };
    expect(renderResult({ id: 7, tags: ['a'] }, response)).toBe(
      [
        'HTTP 201 Created · POST https://ci.example.com/build',
        'location: https://ci.example.com/queue/7',
        'x-more-data: true',
        '',
        '{',
        '  "id": 7,',
        '  "tags": [',
        '    "a"',
        '  ]',
        '}',
      ].join('\n'),
    );
  });

  it('W-22 a text body stays text', () => {
    expect(renderResult('line 1\nline 2', line)).toBe(
      'HTTP 201 Created · POST https://ci.example.com/build\n\nline 1\nline 2',
    );
  });

  it('W-22 without a body there is the line alone', () => {
    expect(renderResult(null, line)).toBe('HTTP 201 Created · POST https://ci.example.com/build');
    expect(renderResult(null, { ...line, statusText: '' })).toBe('HTTP 201 · POST https://ci.example.com/build');
  });

  it('W-22 of any other tool is JSON, or text', () => {
    expect(renderResult({ a: 1 })).toBe('{\n  "a": 1\n}');
    expect(renderResult(null)).toBe('null');
    expect(renderResult(' M a.ts')).toBe(' M a.ts');
  });

  it('a failure says what happened and what to do next', () => {
    expect(renderError({ code: 'cancelled', message: 'git was cancelled', hint: 'The caller stopped it.' })).toBe(
      'cancelled: git was cancelled\nThe caller stopped it.',
    );
  });
});
