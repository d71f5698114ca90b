import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { growth, LINEAR } from '../../shared/testing/processor-time.ts';
import { maskerOf } from '../secrets/testing/masker-of.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { createFileStore } from './files.ts';
import { normaliseHttp, normaliseShell, type HttpAnswer, type Outcome, type ShellAnswer } from './normalise.ts';
import type { Projection } from './project.ts';

const URL = 'https://api.example.com/v1/items';

function http(
  answer: Partial<Omit<HttpAnswer, 'body'>> & { body?: unknown },
  projection: Projection = {},
  files = createFileStore(tempDir()),
): Outcome {
  const body = answer.body ?? '';
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const full = {
    method: 'GET',
    url: URL,
    status: 200,
    statusText: '',
    headers: {},
    redirectedTo: null,
    ...answer,
    body: bytes,
  };
  return normaliseHttp(full, {
    projection,
    captureHeaders: ['X-More-Data', 'Location'],
    files,
    redactor: maskerOf(),
  });
}

function shell(answer: Partial<ShellAnswer>, projection: Projection = {}, okExitCodes?: number[]): Outcome {
  const full = { exitCode: 0, signal: null, stdout: '', stderr: '', droppedBytes: 0, ...answer };
  return normaliseShell(full, {
    redactor: maskerOf(),
    program: 'git',
    projection,
    ...(okExitCodes === undefined ? {} : { okExitCodes }),
  });
}

describe('the result of an http tool', () => {
  it('W-07 W-08 is the projected body, with the line and the headers that were asked for', () => {
    const headers = { 'content-type': 'application/json', 'x-more-data': 'true', 'set-cookie': 'a=b' };
    expect(
      http({ headers, body: { items: [{ id: 1, x: 2 }] } }, { items_path: 'items', response_fields: ['id'] }),
    ).toEqual({
      ok: true,
      value: [{ id: 1 }],
      files: [],
      response: { method: 'GET', url: URL, status: 200, statusText: 'OK', headers: { 'x-more-data': 'true' } },
    });
  });

  it.each([
    ['text', { headers: { 'content-type': 'text/plain' }, body: ' as it is \n' }, ' as it is \n'],
    ['nothing', { status: 204 }, null],
    ['a page', { headers: { 'content-type': 'text/html' }, body: '<p>Hi</p>' }, '<p>Hi</p>'],
  ])('is %s', (_title, answer, value) => {
    expect(http(answer)).toMatchObject({ ok: true, value });
  });

  it('W-15 is a file for what is no text', () => {
    const body = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]);
    const outcome = http({ url: `${URL}/logo?size=2`, headers: { 'content-type': 'image/png' }, body });
    if (!outcome.ok) throw new Error(outcome.error.message);
    const [file] = outcome.files;
    expect(file).toMatchObject({ filename: 'logo.png', size_bytes: 7, content_type: 'image/png' });
    expect(outcome.value).toEqual(file);
    expect(readFileSync(file!.path)).toEqual(body);
  });

  it.each([
    [{ url: 'https://x.example/' }, 'download.pdf'],
    [{ url: 'https://x.example/a/report.final.pdf?x=/y' }, 'report.final.pdf'],
    [
      { headers: { 'content-type': 'application/pdf', 'content-disposition': 'attachment; filename="q1.pdf"' } },
      'q1.pdf',
    ],
  ])('W-15 names the file of %j %s', (answer, filename) => {
    const outcome = http({ headers: { 'content-type': 'application/pdf' }, ...answer, body: '%PDF-' });
    expect(outcome).toMatchObject({ ok: true, value: { filename } });
  });
});

describe('the failure of an http tool', () => {
  it.each<[string, unknown, string]>([
    ['message', { message: 'Not Found', documentation_url: 'x' }, 'Not Found'],
    ['error', { error: 'channel_not_found', ok: false }, 'channel_not_found'],
    [
      'error and its description',
      { error: 'invalid_grant', error_description: 'The code has expired' },
      'invalid_grant; The code has expired',
    ],
    [
      'error object',
      { error: { code: 404, message: 'No such customer', errors: [{ message: 'No such customer' }] } },
      'No such customer',
    ],
    ['errors list', { errors: [{ detail: 'Name is taken' }, 'and too short'] }, 'Name is taken; and too short'],
    ['errors map', { errorMessages: [], errors: { summary: 'Summary is required.' } }, 'summary: Summary is required.'],
    ['detail', { detail: 'Not found.' }, 'Not found.'],
    [
      'field complaints',
      { message: 'Validation Failed', errors: [{ field: 'title', code: 'missing' }] },
      'Validation Failed; field: title; code: missing',
    ],
    ['another shape', { code: 17, ok: false }, '{"code":17,"ok":false}'],
    ['text', 'no such item\n', 'no such item'],
    [
      'a page',
      '<html><head><title>404</title><style>p{}</style></head><body><script>x("<b>")</script><h1>Not&nbsp;here</h1></body></html>',
      '404 Not here',
    ],
  ])('says what the body says: %s', (_title, body, said) => {
    expect(http({ status: 404, body })).toEqual({
      ok: false,
      error: {
        code: 'upstream_error',
        message: `HTTP 404 Not Found · GET ${URL}: ${said}`,
        hint: 'Read what the service says and correct the arguments.',
        details: { status: 404 },
      },
    });
  });

  it('says so when the body is empty or a file', () => {
    expect(http({ status: 500 })).toMatchObject({ error: { message: `HTTP 500 Internal Server Error · GET ${URL}` } });
    const picture = { status: 500, headers: { 'content-type': 'image/png' }, body: 'x' };
    expect(http(picture)).toMatchObject({ error: { message: expect.stringContaining('(a file of type image/png)') } });
  });

  it.each(['x'.repeat(50_000), { message: 'x'.repeat(50_000) }, { long: 'x'.repeat(50_000) }])(
    'quotes at most 1,000 characters',
    (body) => {
      const outcome = http({ status: 400, body });
      const message = outcome.ok ? '' : outcome.error.message;
      expect(message.length).toBe(`HTTP 400 Bad Request · GET ${URL}: `.length + 1000);
      expect(message.endsWith('…')).toBe(true);
    },
  );

  it.each([
    ['an error page', 500, '<script'],
    ['a page that may be a login', 200, '<input '],
  ])('looks at each part of %s once, however hostile it is', (_title, status, part) => {
    const files = createFileStore(tempDir());
    const workOf = (count: number) => {
      const answer = { status, headers: { 'content-type': 'text/html' }, body: Buffer.from(part.repeat(count)) };
      return () => void http(answer, {}, files);
    };
    // 64 times as much is about as far as a page is looked at.
    expect(growth(workOf, 220)).toBeLessThan(LINEAR);
  });

  it.each([
    [401, 'login_required', /Log in/],
    [403, 'upstream_error', /may not do this/],
    [404, 'upstream_error', /correct the arguments/],
    [500, 'upstream_error', /correct the arguments/],
  ])('%i is %s', (status, code, hint) => {
    expect(http({ status, body: { message: 'no' } })).toMatchObject({
      ok: false,
      error: { code, hint: expect.stringMatching(hint) },
    });
  });

  it.each([
    [429, '30', 'The service asks to wait 30 seconds before the next try.'],
    [
      503,
      'Wed, 21 Oct 2026 07:28:00 GMT',
      'The service asks to wait until Wed, 21 Oct 2026 07:28:00 GMT before the next try.',
    ],
  ])('%i with Retry-After %s says how long to wait', (status, after, hint) => {
    expect(http({ status, headers: { 'retry-after': after } })).toMatchObject({ error: { hint } });
  });

  it('names where a redirect pointed that was not followed, and knows where people log in', () => {
    const redirectedTo = 'https://sso.example.com/login?next=x';
    expect(http({ status: 302, redirectedTo })).toMatchObject({
      ok: false,
      error: {
        code: 'login_required',
        message: `HTTP 302 Found · GET ${URL} pointed to ${redirectedTo}, which was not followed`,
        hint: expect.stringContaining('login page'),
        details: { status: 302, redirected_to: redirectedTo },
      },
    });
    expect(http({ status: 301, redirectedTo: 'https://new.example.com/v1/items' })).toMatchObject({
      error: { code: 'redirect_refused', hint: expect.stringContaining('final address') },
    });
  });

  it.each(['<input type="password" name=p>', "<INPUT name='p' TYPE='password'>", '<input id=p type=password>'])(
    'knows a login page by %s',
    (field) => {
      const headers = { 'content-type': 'text/html; charset=utf-8' };
      const body = `<!doctype html><form>${field}</form>`;
      expect(http({ headers, body })).toMatchObject({
        ok: false,
        error: { code: 'login_required', message: `HTTP 200 OK · GET ${URL} answered with a login page` },
      });
      expect(http({ headers: { 'content-type': 'text/plain' }, body: `See ${field}` })).toMatchObject({ ok: true });
    },
  );
});

describe('the result of a shell tool', () => {
  it.each<[string, Partial<ShellAnswer>, unknown]>([
    ['text', { stdout: 'main\n' }, 'main'],
    ['text whose first column is a space', { stdout: '\n M a.ts\n?? b.ts\n\n' }, ' M a.ts\n?? b.ts'],
    ['an object', { stdout: '{"a": 1}\n' }, { a: 1 }],
    ['a list', { stdout: '[1, 2]' }, [1, 2]],
    ['JSON lines', { stdout: '{"a":1}\n{"a":2}\n' }, [{ a: 1 }, { a: 2 }]],
    ['lines that only begin like JSON', { stdout: '{"a":1}\noops\n' }, '{"a":1}\noops'],
    ['a number, which may be an id', { stdout: '12e4567\n' }, '12e4567'],
    ['a version', { stdout: '1.10\n' }, '1.10'],
    ['a word', { stdout: 'null' }, 'null'],
    ['what it reported on stderr', { stderr: 'Everything up-to-date\n' }, 'Everything up-to-date'],
    ['nothing', {}, ''],
    ['the tail of a long output', { stdout: 'end\n', droppedBytes: 9 }, '[the first 9 bytes were dropped]\nend'],
  ])('C-04 D-07 is %s', (_title, answer, value) => {
    expect(shell(answer)).toEqual({ ok: true, value, files: [] });
  });

  it('W-07 is projected like any other', () => {
    expect(
      shell({ stdout: '{"items":[{"a":1,"b":2}]}' }, { items_path: 'items', response_fields: ['a'] }),
    ).toMatchObject({
      value: [{ a: 1 }],
    });
  });

  it.each<[string, Partial<ShellAnswer>, object]>([
    [
      'stderr',
      { exitCode: 128, stderr: 'fatal: not a git repository\n' },
      { message: 'git exited with code 128: fatal: not a git repository', details: { exit_code: 128 } },
    ],
    [
      'stdout when stderr is empty',
      { exitCode: 2, stdout: 'bad usage\n' },
      { message: 'git exited with code 2: bad usage', details: { exit_code: 2 } },
    ],
    [
      'both',
      { exitCode: 2, stdout: 'half\n', stderr: 'lost' },
      { message: 'git exited with code 2: lost', details: { exit_code: 2, stdout: 'half' } },
    ],
    [
      'nothing',
      { exitCode: 1 },
      {
        message: 'git exited with code 1 and printed nothing',
        hint: 'Many programs end like this when they found nothing.',
      },
    ],
    [
      'a signal',
      { exitCode: null, signal: 'SIGSEGV' },
      { message: 'git was ended by SIGSEGV and printed nothing', details: { exit_code: null, signal: 'SIGSEGV' } },
    ],
  ])('C-04 fails with %s', (_title, answer, error) => {
    expect(shell(answer)).toMatchObject({ ok: false, error: { code: 'command_failed', ...error } });
  });

  it.each<[number | null, number[], boolean]>([
    [0, [0, 1], true],
    [1, [0, 1], true],
    [2, [0, 1], false],
    [0, [3], false],
    [null, [0, 1], false],
  ])('C-99 exit code %j with %j for success: %j', (exitCode, okExitCodes, isOk) => {
    expect(shell({ exitCode }, {}, okExitCodes).ok).toBe(isOk);
    if (isOk) expect(shell({ exitCode }, {}, okExitCodes)).toMatchObject({ value: '' });
  });

  it('C-04 quotes the tail of a long complaint', () => {
    const outcome = shell({ exitCode: 1, stderr: `${'x'.repeat(5000)}the reason` });
    expect(outcome).toMatchObject({
      error: { message: expect.stringMatching(/^git exited with code 1: …x+the reason$/) },
    });
    expect(outcome.ok ? 0 : outcome.error.message.length).toBeLessThan(1100);
  });
});
