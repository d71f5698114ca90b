import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failingFileOps } from '../store/testing/failing-file-ops.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { createFileStore } from './files.ts';
import { normaliseScript, type Outcome } from './normalise.ts';
import type { Projection } from './project.ts';

const fromText = (text: string, projection: Projection = {}): Outcome =>
  normaliseScript(text, { files: createFileStore(tempDir()), projection });
const script = (value: unknown, projection: Projection = {}): Outcome => fromText(JSON.stringify(value), projection);

describe('the result of a script', () => {
  it.each([
    ['an object', { a: [1, null, 'x', true] }],
    ['a list', [{ key: 'DEV-1' }]],
    ['a text', 'hello'],
    ['a number', 0],
    ['null', null],
    ['a false error', { _error: false, a: 1 }],
    ['no error', { _error: null, a: 1 }],
  ])('C-44 C-50 hands over %s', (_title, value) => {
    expect(script(value)).toEqual({ ok: true, value, files: [], json: JSON.stringify(value) });
  });

  it.each([
    ['nothing', ''],
    ['undefined', 'undefined'],
    ['no number', '{"n":NaN}'],
    ['half of it', '{"a":[1,2'],
    ['two of them', '{} {}'],
    ['a page', '<!doctype html>'],
    ['nesting without end', '['.repeat(5000) + ']'.repeat(5000)],
  ])('C-44 refuses %s', (_title, text) => {
    expect(fromText(text)).toMatchObject({ ok: false, error: { code: 'result_not_json' } });
  });

  it.each([
    ['spaces between', '{ "a" : 1 }', '{ "a" : 1 }'],
    ['line breaks between, which would end an event early', '{\n"a":1\r}', undefined],
    ['escapes, which may hide what is looked for', '{"a":"\\u0041"}', undefined],
    ['other alphabets', '{"ä":"日本"}', '{"ä":"日本"}'],
  ])('keeps the text as it came only where it is as plain as its value: %s', (_title, text, json) => {
    expect(fromText(text)).toEqual({
      ok: true,
      value: JSON.parse(text),
      files: [],
      ...(json === undefined ? {} : { json }),
    });
  });

  it('does not keep the text of what was projected', () => {
    expect(script({ rows: [1] }, { items_path: 'rows' })).toEqual({ ok: true, value: [1], files: [] });
  });

  it.each<[unknown, string]>([
    ['HTTP 403: no', 'HTTP 403: no'],
    ['', 'the tool reported a failure and gave no reason'],
    [{ status: 7 }, '{"status":7}'],
    [true, 'true'],
  ])('C-49 _error %j is a tool error', (error, message) => {
    expect(script({ _error: error, rows: [] })).toMatchObject({ ok: false, error: { code: 'tool_error', message } });
  });

  it('C-49 only an own _error counts', () => {
    expect(fromText('{"__proto__":{"_error":"inherited"}}')).toMatchObject({ ok: true });
    expect(script({ rows: [{ _error: 'inside' }] })).toMatchObject({ ok: true });
  });

  it('W-07 is projected like any other', () => {
    expect(script({ rows: [{ a: 1, b: 2 }] }, { items_path: 'rows', response_fields: { x: 'a' } })).toMatchObject({
      value: [{ x: 1 }],
    });
  });
});

describe('the files of a script', () => {
  const hello = {
    filename: '../hello.txt',
    content_base64: Buffer.from('hello').toString('base64'),
    content_type: 'text/plain',
  };

  it('W-15 are saved, and their places handed over instead of their content', () => {
    const outcome = script({ count: 1, _files: [hello] });
    if (!outcome.ok) throw new Error(outcome.error.message);
    const [file] = outcome.files;
    expect(file).toMatchObject({ filename: 'hello.txt', size_bytes: 5, content_type: 'text/plain' });
    expect(outcome.value).toEqual({ count: 1, _files: [file] });
    expect(readFileSync(file!.path, 'utf8')).toBe('hello');
    expect(JSON.stringify(outcome)).not.toContain(hello.content_base64);
  });

  it.each([
    ['with line breaks', 'aGVs\nbG8=\n'],
    ['without padding', 'aGVsbG8'],
    ['as a data URL', 'data:text/plain;base64,aGVsbG8='],
  ])('W-15 may be base64 %s', (_title, content) => {
    const outcome = script({ _files: [{ filename: 'a', content_base64: content }] });
    expect(outcome).toMatchObject({ ok: true, files: [{ size_bytes: 5, content_type: 'application/octet-stream' }] });
  });

  it('W-15 may be empty, and there may be none', () => {
    expect(script({ _files: [{ filename: 'a', content_base64: '' }] })).toMatchObject({ files: [{ size_bytes: 0 }] });
    expect(script({ _files: [] })).toMatchObject({ ok: true, value: { _files: [] }, files: [] });
    expect(script({ _files: null })).toMatchObject({ ok: true, value: { _files: null } });
  });

  it.each<[unknown, string]>([
    ['x', '_files is not a list'],
    [[null], '_files[0] is not an object'],
    [[hello, { content_base64: '' }], '_files[1].filename'],
    [[{ ...hello, filename: '' }], '_files[0].filename'],
    [[{ ...hello, content_base64: 7 }], '_files[0].content_base64 is not a text'],
    [[{ ...hello, content_base64: 'not base64!' }], '_files[0].content_base64 is not base64'],
    [[{ ...hello, content_base64: 'a' }], '_files[0].content_base64 is not base64'],
    [[{ ...hello, content_type: 7 }], '_files[0].content_type'],
    [Array.from({ length: 101 }, () => hello), 'at most 100'],
  ])('W-15 refuses %j, and saves none', (files, problem) => {
    const folder = tempDir();
    const outcome = normaliseScript(JSON.stringify({ _files: files }), { files: createFileStore(folder) });
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'tool_error', message: expect.stringContaining(problem) },
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('W-15 a full disk is not the tool’s failure', () => {
    const { ops } = failingFileOps(2, 'ENOSPC', 'onwards');
    const files = createFileStore(tempDir(), { ops });
    expect(() => normaliseScript(JSON.stringify({ _files: [hello] }), { files })).toThrow(
      expect.objectContaining({ code: 'disk_write_failed' }),
    );
  });
});
