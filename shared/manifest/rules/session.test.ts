import { describe, expect, it } from 'vitest';
import { capabilitiesOf } from '../capabilities.ts';
import { definitionOf } from '../definition.ts';
import { lintManifest } from '../lint.ts';

const STEP = `{ request: { url: 'https://a.test/login' }, capture: { t: { path: a.b } } }`;

function lint(session: string, tool = `{ protocol: http, request: { url: 'https://a.test/x' } }`) {
  const yaml = `id: a\nname: A\nversion: "1.0.0"\nsettings: { p: { type: secret } }\nauth: { type: session, ${session} }\ntools: { t: ${tool} }`;
  return lintManifest(yaml, { forgeVersion: '1.0.0' });
}

const errors = (...args: Parameters<typeof lint>): string[] =>
  lint(...args)
    .diagnostics.filter(({ severity }) => severity === 'error')
    .map(({ path, message }) => `${path}: ${message}`);

describe('sessions that could never work', () => {
  it.each([
    ['login: []', 'auth.login'],
    [`login: [{ request: { url: 'ftp://a.test' } }]`, 'auth.login[0].request.url: only http and https'],
    [`login: [{ request: { url: 'https://a.test' }, capture: { t: {} } }]`, 'a capture needs one of'],
    [
      `login: [{ request: { url: 'https://a.test' }, capture: { t: { path: a, header: b } } }]`,
      'a capture needs one of',
    ],
    [`login: [{ request: { url: 'https://a.test' }, capture: { t: { regex: '(' } } }]`, 'the pattern cannot be used'],
    [
      `login: [{ request: { url: 'https://a.test', query: { q: '{args.x}' } } }]`,
      '`{args.x}` cannot be used in a login',
    ],
    [`login: [{ request: { url: 'https://a.test/{captured.t}' } }, ${STEP}]`, 'is not captured by an earlier step'],
    [`login: [${STEP}], csrf: { from: other, header: X }`, 'no login step captures `other`'],
    [`login: [${STEP}], csrf: { from: t }`, '`csrf` needs one of `header`, `form` and `query`'],
    [`login: [${STEP}], csrf: { from: t, header: X, query: y }`, '`csrf` needs one of `header`, `form` and `query`'],
    [`login: [${STEP}], csrf: { header: X }`, '`csrf` needs `from`, or `request` with `capture`'],
    [`login: [${STEP}], csrf: { from: t, header: 'X: y' }`, 'this is not a valid header name'],
    [`login: [${STEP}], csrf: { request: { url: 'https://a.test' }, header: X }`, '`csrf.request` needs `capture`'],
    [`login: [${STEP}], expired_match: { path: a }`, '`expired_match` needs'],
    [`login: [${STEP}], expired_match: { regex: a, redirect: b }`, '`expired_match` needs'],
  ])('%s', (session, wanted) => {
    expect(errors(session).join('\n')).toContain(wanted);
  });

  it('wants a form for a form field, and captured values in logins alone', () => {
    const json = `{ protocol: http, request: { method: POST, url: 'https://a.test', body: { a: 1 } } }`;
    expect(errors(`login: [${STEP}], csrf: { from: t, form: token }`, json).join()).toContain('has no form');
    expect(errors(`login: [${STEP}], csrf: { from: t, header: X }`, json)).toEqual([]);
    const tool = `{ protocol: http, request: { url: 'https://a.test/{captured.t}' } }`;
    expect(errors(`login: [${STEP}]`, tool).join()).toContain('`{captured.t}` is not captured here');
  });

  it('shows every host of a login and what is sent there', () => {
    const login = `login: [${STEP}, { request: { method: POST, url: 'https://sso.test/in', body_form: { p: '{settings.p}', t: '{captured.t}' } } }], csrf: { request: { url: 'https://csrf.test' }, capture: { header: x-t }, header: X-T }`;
    const { package: pack } = lint(login);
    const { hosts, flows } = capabilitiesOf(definitionOf(pack!));
    expect(hosts).toEqual(['https://a.test', 'https://csrf.test', 'https://sso.test']);
    expect(flows).toContain('p → https://sso.test (login)');
    expect(flows).toContain('the session from https://sso.test → https://a.test (cookies)');
  });
});
