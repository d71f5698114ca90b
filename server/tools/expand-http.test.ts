import { describe, expect, it } from 'vitest';
import { Secret } from '../../shared/secret.ts';
import { bareNamesOf, type CallScope } from './call-scope.ts';
import { expandTool } from './expand-tool.ts';
import { packageOf, toolOf } from './testing/package.ts';

function expand(rest: string, scope: Partial<CallScope> = {}, secrets: 'reveal' | 'mask' = 'reveal') {
  const pack = packageOf(rest);
  const entry = { installed: null as never, package: pack, connector: pack.connectors[0]!, tool: toolOf(pack) };
  const full: CallScope = { settings: {}, args: {}, saved: new Set(Object.keys(scope.settings ?? {})), ...scope };
  return expandTool(entry, full, { secrets, bareNames: bareNamesOf(pack), ownPorts: [8403, 6247] });
}

const http = (request: string, more = '') =>
  `${more}\ntools: { t: { protocol: http, parameters: { a: {}, b: {}, j: { type: json }, p: { url_encoding: none } }, request: ${request} } }`;

describe('http requests', () => {
  it('C-54 C-03 fills method, url and headers', () => {
    const { job } = expand(
      http(
        `{ method: GET, url: 'https://api.test/repos/{args.a}/{args.b}', headers: { Accept: x/y, Authorization: 'Bearer {settings.token}' } }`,
        'settings: { token: { type: secret } }',
      ),
      {
        settings: { token: new Secret('s3') },
        args: { a: 'o', b: 'r/x' },
      },
    );
    expect(job).toMatchObject({
      method: 'GET',
      url: 'https://api.test/repos/o/r%2Fx',
      headers: { accept: 'x/y', authorization: 'Bearer s3' },
      body: null,
      timeoutMs: 15_000,
    });
  });

  it('K-06 C-55 takes the tool’s timeout', () => {
    const { job } = expand(`tools: { t: { protocol: http, timeout_ms: 1234, request: { url: 'https://a.test' } } }`);
    expect(job.timeoutMs).toBe(1234);
  });

  it.each([
    [
      `{ type: basic, username: u, password: '{settings.s}' }`,
      { authorization: `Basic ${Buffer.from('u:s3').toString('base64')}` },
    ],
    [`{ type: bearer, token: '{settings.s}' }`, { authorization: 'Bearer s3' }],
    [`{ type: header, name: PRIVATE-TOKEN, value: '{settings.s}' }`, { 'private-token': 's3' }],
  ])('C-56 C-58 C-59 C-60 one auth block serves every http tool: %s', (auth, headers) => {
    const { job } = expand(http(`{ url: 'https://a.test' }`, `settings: { s: { type: secret } }\nauth: ${auth}`), {
      settings: { s: new Secret('s3') },
    });
    expect(job).toMatchObject({ headers });
  });

  it('C-61 appends an auth query parameter', () => {
    const { job } = expand(
      http(
        `{ url: 'https://a.test/x?y=1' }`,
        `settings: { s: { type: secret } }\nauth: { type: query, name: access_token, value: '{settings.s}' }`,
      ),
      { settings: { s: new Secret('a b') } },
    );
    expect(job).toMatchObject({ url: 'https://a.test/x?y=1&access_token=a%20b' });
  });

  it('C-62 a tool overrides or switches off the inherited scheme', () => {
    const { job } = expand(
      `auth: { type: bearer, token: t }\ntools: { t: { protocol: http, auth: { type: none }, request: { url: 'https://a.test' } } }`,
    );
    expect(job).not.toHaveProperty('headers.authorization');
  });

  it('W-06 drops an authorisation whose setting is empty', () => {
    const { job } = expand(
      http(
        `{ url: 'https://a.test' }`,
        `settings: { s: { type: secret } }\nauth: { type: bearer, token: '{settings.s}' }`,
      ),
    );
    expect(job).not.toHaveProperty('headers.authorization');
  });

  it('W-02 carries verify_tls', () => {
    expect(expand(http(`{ url: 'https://a.test' }`, 'http: { verify_tls: false }')).job).toMatchObject({
      verifyTls: false,
    });
  });

  it('W-03 adds query entries and drops those without a value', () => {
    const { job } = expand(http(`{ url: 'https://a.test/x', query: { q: 'name:{args.a}', n: '{args.b}' } }`), {
      args: { b: 5 },
    });
    expect(job).toMatchObject({ url: 'https://a.test/x?n=5' });
  });

  it.each([
    [
      `body: { title: '{args.a}', n: '{args.b}', none: '{args.zzz}' }`,
      { a: 'x', b: true },
      '{"title":"x","n":true}',
      'application/json',
    ],
    [`body: '{args.j}'`, { j: { k: [1] } }, '{"k":[1]}', 'application/json'],
    [`body: 'plain {args.a}'`, { a: 'x' }, 'plain x', 'text/plain; charset=utf-8'],
    [
      `body_form: '{args.j}'`,
      { j: { BRANCH: 'main', E: 'a b' } },
      'BRANCH=main&E=a+b',
      'application/x-www-form-urlencoded',
    ],
    [
      `body_form: { text: '{args.a}', ch: C1 }`,
      { a: 'ü&' },
      'text=%C3%BC%26&ch=C1',
      'application/x-www-form-urlencoded',
    ],
  ])('W-04 W-05 C-85 sends %s', (body, args, text, type) => {
    const { job } = expand(http(`{ method: POST, url: 'https://a.test', ${body} }`), { args });
    expect(job).toMatchObject({ body: text, headers: { 'content-type': type } });
  });

  it('C-87 C-88 C-89 C-94 injects credentials the arguments cannot shadow', () => {
    const { job } = expand(
      http(
        `{ method: POST, url: 'https://a.test', body_form: '{args.j}', body_form_inject: { PAT: '{settings.s}', OPT: '{settings.o}' }, body_form_inject_from: rows }`,
        'settings: { s: { type: secret }, o: {}, rows: { type: instances, fields: { name: {}, value: { type: secret } } } }',
      ),
      {
        args: { j: { PAT: 'evil', BRANCH: 'x' } },
        settings: { s: new Secret('s3'), rows: [{ name: 'TOKEN', value: new Secret('row') }] },
      },
    );
    expect(Object.fromEntries(new URLSearchParams((job as { body: string }).body))).toEqual({
      PAT: 's3',
      BRANCH: 'x',
      TOKEN: 'row',
    });
  });

  it('C-83 C-84 keeps literal slashes where the parameter says so', () => {
    expect(expand(http(`{ url: 'https://a.test/{args.p}/api' }`), { args: { p: 'job/x/job/y' } }).job).toMatchObject({
      url: 'https://a.test/job/x/job/y/api',
    });
  });

  it('a dry run shows [secret] in place of every secret', () => {
    const rest = http(
      `{ url: 'https://a.test', headers: { X: 'k {settings.s}' } }`,
      `settings: { s: { type: secret } }\nauth: { type: basic, username: u, password: '{settings.s}' }`,
    );
    const { job } = expand(rest, { settings: { s: new Secret('canary') } }, 'mask');
    expect(JSON.stringify(job)).not.toContain('canary');
    expect(JSON.stringify(job)).not.toContain(Buffer.from('u:canary').toString('base64'));
    expect(job).toMatchObject({ headers: { x: 'k [secret]', authorization: 'Basic [secret]' } });
  });

  it('K-61 says who named the host', () => {
    expect(expand(http(`{ url: 'https://api.test/x' }`)).hosts).toEqual([{ host: 'api.test', from: 'manifest' }]);
    const own = http(`{ url: '{settings.base_url}/x' }`, 'settings: { base_url: { default: "https://d.test" } }');
    expect(expand(own, { settings: { base_url: 'https://mine.test:8443' } }).hosts).toEqual([
      { host: 'mine.test:8443', from: 'setting' },
    ]);
    expect(expand(own, { settings: { base_url: 'https://d.test' }, saved: new Set() }).hosts).toEqual([
      { host: 'd.test', from: 'manifest' },
    ]);
    expect(expand(http(`{ url: 'https://{args.a}/x' }`), { args: { a: 'h.test' } }).hosts).toEqual([
      { host: 'h.test', from: 'argument' },
    ]);
  });

  it.each([
    ['http://{settings.h}/x', 'setting'],
    ['{settings.u}/x', 'setting'],
    ['http://{settings.h}:8080/x', 'setting'],
    ['http://{settings.h}:{settings.port}/x', 'setting'],
    ['http://{settings.h}:{settings.unsaved}/x', 'setting'],
    ['http://{settings.v6}:8080/x', 'setting'],
    ['http://127.0.0.1:{settings.port}/x', 'manifest'],
    ['http://{settings.h}.evil.test/x', 'manifest'],
    ['http://evil-{settings.h}/x', 'manifest'],
    ['http://{settings.h}.{settings.h}/x', 'manifest'],
    ['http://{settings.h}{settings.unsaved}/x', 'manifest'],
    ['http://{settings.unsaved}:{settings.port}/x', 'manifest'],
    ['http://{settings.h}:{args.p}/x', 'argument'],
  ])('K-61 a host is the person’s own only where all of its name is a setting: %s', (url, from) => {
    const rest = http(`{ url: '${url}' }`, 'settings: { h: {}, u: {}, port: {}, v6: {}, unsaved: {} }');
    const settings = { h: 'h', u: 'http://u.test', port: '81', v6: '[::1]', unsaved: '82' };
    const saved = new Set(['h', 'u', 'port', 'v6']);
    expect(expand(rest, { settings, saved, args: { p: '83' } }).hosts).toMatchObject([{ from }]);
  });

  it('C-63 C-64 C-65 plans a token exchange with its own host', () => {
    const { auth, hosts } = expand(
      http(
        `{ url: 'https://{args.a}/x' }`,
        `settings: { u: {}, p: { type: secret } }\nauth: { type: bearer-token-exchange, exchange_url: 'https://{args.a}/login', exchange_body: { username: '{settings.u}', password: '{settings.p}' }, bearer_path: result.jwt, bearer_format: bare, expires_ttl_sec: 540 }`,
      ),
      { args: { a: 'h.test' }, settings: { u: 'me', p: new Secret('pw') } },
    );
    expect(auth).toMatchObject({
      kind: 'exchange',
      exchange: {
        url: 'https://h.test/login',
        method: 'POST',
        body: '{"username":"me","password":"pw"}',
        format: 'bare',
        ttlSec: 540,
      },
    });
    expect(hosts).toEqual([
      { host: 'h.test', from: 'argument' },
      { host: 'h.test', from: 'argument' },
    ]);
  });
});

describe('C-99 C-04 commands', () => {
  const shell = (command: string, more = '') =>
    `tools: { t: { protocol: shell, parameters: { repo: {}, n: { type: number }, d: { allow_dash: true } }, command: ${command}${more} } }`;

  it('fills each element on its own, and keeps their number', () => {
    const { job } = expand(shell(`['git', '-C', '{args.repo}', 'log', '-n', '{args.n}', '--oneline']`), {
      args: { repo: 'a b; rm -rf /', n: 20 },
    });
    expect(job).toMatchObject({
      argv: ['git', '-C', 'a b; rm -rf /', 'log', '-n', '20', '--oneline'],
      timeoutMs: 30_000,
    });
  });

  it('refuses a leading dash unless the parameter allows it', () => {
    expect(() => expand(shell(`['ls', '{args.repo}']`), { args: { repo: '--output=/etc/x' } })).toThrow(
      expect.objectContaining({ code: 'unsafe_value' }),
    );
    expect(expand(shell(`['ls', '{args.d}']`), { args: { d: '-x' } }).job).toMatchObject({ argv: ['ls', '-x'] });
  });

  it('fills env and cwd', () => {
    const { job } = expand(shell(`['x']`, `, env: { A: '{args.repo}', B: '{args.n}' }, cwd: '/tmp/{args.repo}'`), {
      args: { repo: 'r' },
    });
    expect(job).toMatchObject({ env: { A: 'r' }, cwd: '/tmp/r' });
  });
});
