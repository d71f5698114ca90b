import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failingFileOps } from '../store/testing/failing-file-ops.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { createFileStore } from './files.ts';
import { normaliseScript, normaliseThrow, type Outcome } from './normalise.ts';
import type { Projection } from './project.ts';

const script = (value: unknown, projection: Projection = {}): Outcome =>
  normaliseScript(value, { files: createFileStore(tempDir()), projection });

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
    expect(script(value)).toEqual({ ok: true, value, files: [] });
  });

  it('C-44 hands over nothing as null', () => {
    expect(script(undefined)).toEqual({ ok: true, value: null, files: [] });
  });

  const loop: Record<string, unknown> = {};
  loop.self = loop;
  it.each<[string, unknown, string]>([
    ['a function', { rows: [{ go: () => 1 }] }, 'function at rows[0].go'],
    ['an object of its own kind', { when: new Map() }, 'Map at when'],
    ['no number', { n: NaN }, 'NaN at n'],
    ['a big integer', 1n, 'bigint'],
    ['a loop', loop, 'refers to itself'],
  ])('C-44 refuses %s', (_title, value, problem) => {
    expect(script(value)).toMatchObject({
      ok: false,
      error: { code: 'tool_error', message: expect.stringContaining(problem) },
    });
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
    expect(script(Object.create({ _error: 'inherited' }) as unknown)).toMatchObject({ ok: false });
    expect(script({ rows: [{ _error: 'inside' }] })).toMatchObject({ ok: true });
  });

  it('C-48 a throw is a tool error with its line', () => {
    expect(normaliseThrow({ name: 'TypeError', message: 'x is undefined', line: 3 })).toMatchObject({
      ok: false,
      error: { code: 'tool_error', message: 'the script threw TypeError: x is undefined (line 3 of the script)' },
    });
    expect(normaliseThrow({ name: 'Error', message: '' })).toMatchObject({
      error: { message: 'the script threw Error' },
    });
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
    const outcome = normaliseScript({ _files: files }, { files: createFileStore(folder) });
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'tool_error', message: expect.stringContaining(problem) },
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('W-15 a full disk is not the tool’s failure', () => {
    const { ops } = failingFileOps(2, 'ENOSPC', 'onwards');
    const files = createFileStore(tempDir(), { ops });
    expect(() => normaliseScript({ _files: [hello] }, { files })).toThrow(
      expect.objectContaining({ code: 'disk_write_failed' }),
    );
  });
});
