import { describe, expect, it } from 'vitest';
import { lintManifest } from '../lint.ts';

function errors(tool: string, more = ''): string[] {
  const yaml = `id: a\nname: A\nversion: "1.0.0"\n${more}\ntools: { t: ${tool} }`;
  return lintManifest(yaml, { forgeVersion: '1.0.0' })
    .diagnostics.filter(({ severity }) => severity === 'error')
    .map(({ path, message }) => `${path}: ${message}`);
}

const http = (request: string, file = 'type: file') =>
  `{ protocol: http, parameters: { f: { ${file} }, x: {} }, request: { method: POST, url: 'https://a.test/', ${request} } }`;

describe('files in manifests', () => {
  it.each([`body_multipart: { file: '{args.f}', note: 'about {args.x}' }`, `body: '{args.f}'`])(
    'takes %s',
    (request) => {
      expect(errors(http(request))).toEqual([]);
    },
  );

  it.each([
    ['a part of a field', http(`body_multipart: { file: 'x{args.f}' }`)],
    ['inside a field', http(`body_multipart: { file: ['{args.f}'] }`)],
    ['a path inside it', http(`body_multipart: { file: '{args.f.name}' }`)],
    ['JSON', http(`body: { file: '{args.f}' }`)],
    ['a JSON field called body', http(`body: { body: '{args.f}' }`)],
    ['a part of a body', http(`body: 'x {args.f}'`)],
    ['a plain form', http(`body_form: { file: '{args.f}' }`)],
    ['a header', http(`headers: { x: '{args.f}' }`)],
    ['the query', http(`query: { x: '{args.f}' }`)],
    ['auth', http(`body: '{args.f}' }, auth: { type: bearer, token: '{args.f}'`)],
  ])('refuses a file in %s', (_where, tool) => {
    expect(errors(tool).join('\n')).toContain('cannot be used here');
  });

  it.each([
    [`{ protocol: shell, command: [ls], parameters: { f: { type: file } } }`, 'only http tools take files'],
    [http(`body: '{args.f}'`, `type: file, default: /etc/hosts`), 'a manifest cannot choose a file'],
    [http(`body: '{args.f}'`, `type: file, max_bytes: 26214401`), 'max_bytes'],
    [http(`body_multipart: { f: '{args.f}' }, body_form: { a: b }`), '`body_multipart` is the whole body'],
  ])('refuses %s', (tool, wanted) => {
    expect(errors(tool).join('\n')).toContain(wanted);
  });

  it('refuses a login with files', () => {
    const auth = `auth: { type: session, login: [{ request: { method: POST, url: 'https://a.test', body_multipart: { a: b } } }] }`;
    expect(errors(http(`body: '{args.f}'`), auth).join()).toContain('a login sends no files');
  });
});
