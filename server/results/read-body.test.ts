import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readHttpBody, type ReadBody } from './read-body.ts';

const read = (type: string | null, body: string | Buffer, disposition?: string): ReadBody =>
  readHttpBody(
    {
      ...(type === null ? {} : { 'content-type': type }),
      ...(disposition === undefined ? {} : { 'content-disposition': disposition }),
    },
    typeof body === 'string' ? Buffer.from(body) : body,
  );
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

describe('reading JSON', () => {
  it.each<[string, string | null, string | Buffer, unknown]>([
    ['by its type', 'application/json', '{"a":1}', { a: 1 }],
    ['by a vendor’s type', 'application/vnd.api+json; charset=utf-8', '[1]', [1]],
    ['a bare value', 'application/json', 'null', null],
    ['a bare number', 'application/json', ' 42\n', 42],
    ['in any case', 'Application/JSON', '{"a":1}', { a: 1 }],
    ['with a mark at its beginning', 'application/json', '\ufeff{"a":1}', { a: 1 }],
    ['with a guard before it', 'application/json', ')]}\'\n{"a":1}', { a: 1 }],
    ['with a charset that lies', 'application/json; charset=iso-8859-1', '{"a":"é"}', { a: 'é' }],
    ['with a charset that does not', 'application/json; charset=iso-8859-1', latin1('{"a":"é"}'), { a: 'é' }],
    ['in UTF-16', 'application/json', utf16('{"a":"é"}'), { a: 'é' }],
    ['that looks like it', 'text/plain', '  {"a":1}\n', { a: 1 }],
    ['without any type', null, '[{"a":1}]', [{ a: 1 }]],
    ['sent as a page', 'text/html', '{"a":1}', { a: 1 }],
    ['sent as unnamed bytes', 'application/octet-stream', '{"a":1}', { a: 1 }],
    ['in lines', 'application/x-ndjson', '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
  ])('%s', (_title, type, body, value) => {
    expect(read(type, body)).toMatchObject({ kind: 'json', value });
  });

  it('nested deeper than any honest answer is text', () => {
    expect(read('application/json', '['.repeat(100_000) + ']'.repeat(100_000)).kind).toBe('text');
  });
});

describe('reading text', () => {
  it.each<[string, string | null, string | Buffer, string]>([
    ['UTF-8', 'text/plain; charset=utf-8', 'äöü€😀', 'äöü€😀'],
    ['nothing said, UTF-8', 'text/plain', 'äöü', 'äöü'],
    ['nothing said, old', 'text/plain', latin1('Grüße'), 'Grüße'],
    ['Latin-1', 'text/plain; charset=ISO-8859-1', latin1('Grüße'), 'Grüße'],
    ['quoted charset', 'text/plain; charset="ISO-8859-1"', latin1('Grüße'), 'Grüße'],
    ['Shift JIS', 'text/plain; charset=shift_jis', Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67]), 'テスト'],
    ['UTF-16 by its mark', 'text/plain; charset=utf-8', utf16('héllo'), 'héllo'],
    ['UTF-16 by its charset', 'text/plain; charset=utf-16le', Buffer.from('héllo', 'utf16le'), 'héllo'],
    ['UTF-8 with its mark', 'text/plain', '\ufeffhéllo', 'héllo'],
    ['an unknown charset', 'text/plain; charset=klingon', 'äöü', 'äöü'],
    ['a charset that lies', 'text/plain; charset=utf-8', latin1('Grüße'), 'Grüße'],
    [
      'UTF-8 with one damaged place',
      'text/plain',
      Buffer.concat([Buffer.from('äöü'), Buffer.from([0xff]), Buffer.from('é')]),
      'äöü\ufffdé',
    ],
    [
      'a page’s own charset',
      'text/html',
      latin1('<meta charset="iso-8859-1">Grüße'),
      '<meta charset="iso-8859-1">Grüße',
    ],
    [
      'a page’s old declaration',
      'text/html',
      Buffer.concat([latin1('<meta http-equiv=x content="text/html; charset=koi8-r">'), Buffer.from([0xd0])]),
      '<meta http-equiv=x content="text/html; charset=koi8-r">п',
    ],
    [
      'an XML declaration',
      'application/xml',
      latin1('<?xml version="1.0" encoding="ISO-8859-1"?><a>ß</a>'),
      '<?xml version="1.0" encoding="ISO-8859-1"?><a>ß</a>',
    ],
    ['colours of a terminal', 'text/plain', '\u001b[31mred\u001b[0m\r\n', '\u001b[31mred\u001b[0m\r\n'],
    ['a picture that is text', 'image/svg+xml', '<svg/>', '<svg/>'],
    ['JSON that is broken', 'application/json', '{"a":', '{"a":'],
    ['a list that is a log', 'text/plain', '[12:00] started', '[12:00] started'],
    ['a number', 'text/plain', '007', '007'],
  ])('%s', (_title, type, body, text) => {
    expect(read(type, body)).toMatchObject({ kind: 'text', text });
  });

  it.each([
    ['text/html; charset=utf-8', '<p>Hi</p>', true],
    ['text/plain', '\n<!DOCTYPE html><p>Hi</p>', true],
    ['text/plain', 'Hi <html>', false],
  ])('%s %j is a page: %s', (type, body, isHtml) => {
    expect(read(type, body)).toMatchObject({ isHtml });
  });

  it.each(['', '  \n'])('%j is nothing', (body) => {
    expect(read('text/plain', body)).toEqual({ kind: 'empty' });
    expect(read('application/json', body)).toEqual({ kind: 'empty' });
  });
});

describe('reading files', () => {
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);

  it.each<[string, string | null, Buffer | string, string]>([
    ['a picture', 'image/png', png, 'image/png'],
    ['a picture that claims to be text', 'text/plain', png, 'image/png'],
    ['a picture that claims nothing', null, png, 'image/png'],
    ['a PDF', 'application/pdf', '%PDF-1.7', 'application/pdf'],
    ['a PDF that claims to be a page', 'text/html', '%PDF-1.7', 'application/pdf'],
    ['a zip', 'application/zip', 'PK', 'application/zip'],
    [
      'an office document',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'PK',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ],
    ['something compressed', 'text/plain', gzipSync('hello'), 'application/gzip'],
    ['bytes', 'application/octet-stream', 'hello', 'application/octet-stream'],
    ['zero bytes in text', 'text/plain', 'a\0b', 'application/octet-stream'],
    ['control characters', 'text/plain', Buffer.from([1, 2, 3, 4, 65, 66, 6, 7]), 'application/octet-stream'],
    ['JSON that is none', 'application/json', Buffer.from([0, 1, 2, 3]), 'application/octet-stream'],
  ])('%s', (_title, type, body, contentType) => {
    expect(read(type, typeof body === 'string' ? Buffer.from(body) : body)).toEqual({ kind: 'binary', contentType });
  });

  it.each([
    ['attachment; filename="report.pdf"', 'report.pdf'],
    ['attachment; filename=report.pdf', 'report.pdf'],
    ['attachment; filename="a \\"b\\".pdf"', 'a _b_.pdf'],
    [`attachment; filename="x.pdf"; filename*=UTF-8''gr%C3%BC%C3%9Fe.pdf`, 'grüße.pdf'],
    [`attachment; filename*=UTF-8''%ff.pdf; filename="x.pdf"`, 'x.pdf'],
    ['attachment; filename="grÃ¼Ã\u009fe.pdf"', 'grüße.pdf'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ['attachment; filename="C:\\\\Users\\\\x.pdf"', 'x.pdf'],
    ['attachment; filename="..."', 'file'],
  ])('takes the name from %j', (disposition, filename) => {
    expect(read('application/pdf', '%PDF-', disposition)).toMatchObject({ filename });
  });

  it('has no name where none is given', () => {
    expect(read('application/pdf', '%PDF-', 'inline')).toEqual({ kind: 'binary', contentType: 'application/pdf' });
  });

  it('an attachment of bytes stays a file, even when it could be read as JSON', () => {
    expect(read('application/octet-stream', '{"a":1}', 'attachment; filename=a.json').kind).toBe('binary');
  });
});

it('finds headers in any case', () => {
  expect(readHttpBody({ 'Content-Type': 'image/png' }, Buffer.from('x')).kind).toBe('binary');
});
