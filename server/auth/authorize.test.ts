import { describe, expect, it } from 'vitest';
import { toPackage } from '../../shared/manifest/connector.ts';
import type { Auth } from '../../shared/manifest/schema/auth.ts';
import { Secret } from '../../shared/secret.ts';
import type { Scope } from '../../shared/template/scope.ts';
import { planAuth } from './authorize.ts';

const SCOPE: Scope = {
  settings: { user: 'ada', token: new Secret('s3cret-tok'), umlaut: new Secret('pä$$:wörd'), key: 'X', blank: '' },
  args: { host: 'h.example', note: 'evil\r\nX-Admin: 1' },
};
const BARE = new Set(['user', 'token', 'umlaut', 'key', 'blank', 'unset']);

function plan(auth: Auth, secrets: 'reveal' | 'mask' = 'reveal') {
  return planAuth(auth, SCOPE, { secrets, bareNames: BARE });
}

function basicOf(text: string): string {
  return `Basic ${Buffer.from(text, 'utf8').toString('base64')}`;
}

const sent: [string, Auth, Record<string, string>, [string, string][]][] = [
  [
    'C-58 basic as base64 of user:password',
    { type: 'basic', username: '{settings.user}', password: '{settings.token}' },
    { Authorization: basicOf('ada:s3cret-tok') },
    [],
  ],
  [
    'C-58 basic in UTF-8, with colons in the password',
    { type: 'basic', username: 'jürgen', password: '{umlaut}' },
    { Authorization: basicOf('jürgen:pä$$:wörd') },
    [],
  ],
  [
    'C-58 basic with a key as the user name alone',
    { type: 'basic', username: '{token}', password: '' },
    { Authorization: basicOf('s3cret-tok:') },
    [],
  ],
  [
    'C-58 basic with an empty setting as the user name',
    { type: 'basic', username: '{settings.blank}', password: '{token}' },
    { Authorization: basicOf(':s3cret-tok') },
    [],
  ],
  ['C-59 bearer', { type: 'bearer', token: '{settings.token}' }, { Authorization: 'Bearer s3cret-tok' }, []],
  [
    'C-60 header',
    { type: 'header', name: 'PRIVATE-TOKEN', value: 'v={settings.token}' },
    { 'PRIVATE-TOKEN': 'v=s3cret-tok' },
    [],
  ],
  [
    'C-61 query',
    { type: 'query', name: 'access_token', value: '{settings.token}' },
    {},
    [['access_token', 's3cret-tok']],
  ],
  ['C-57 C-62 none', { type: 'none' }, {}, []],
  [
    'W-06 basic with both halves empty',
    { type: 'basic', username: '{settings.blank}', password: '{settings.unset}' },
    {},
    [],
  ],
  ['W-06 bearer with an unset setting', { type: 'bearer', token: '{settings.unset}' }, {}, []],
  ['W-06 bearer with an empty setting', { type: 'bearer', token: '{blank}' }, {}, []],
  ['W-06 bearer with an empty template', { type: 'bearer', token: '' }, {}, []],
  ['W-06 header with an empty setting', { type: 'header', name: 'X-Key', value: 'key {settings.blank}' }, {}, []],
  ['W-06 query with an unset setting', { type: 'query', name: 'key', value: '{settings.unset}' }, {}, []],
  ['W-06 query with an empty template', { type: 'query', name: 'key', value: '' }, {}, []],
  [
    'W-06 an exchange without its token',
    { type: 'bearer-token-exchange', exchange_url: 'https://x.example/', api_token: '{settings.unset}' },
    {},
    [],
  ],
];

describe('planAuth', () => {
  it.each(sent)('%s', (_, auth, headers, query) => {
    expect(plan(auth)).toEqual({ kind: 'static', headers, query });
  });

  it.each([
    ['basic', { type: 'basic', username: '{user}', password: '{token}' }, 'Basic [secret]'],
    ['bearer', { type: 'bearer', token: '{token}' }, 'Bearer [secret]'],
  ] as [string, Auth, string][])('shows %s in a dry run without its secret', (_, auth, shown) => {
    expect(plan(auth, 'mask')).toEqual({ kind: 'static', headers: { Authorization: shown }, query: [] });
  });

  it.each([
    ['a line break from an argument in a bearer', { type: 'bearer', token: '{args.note}' }],
    ['a line break from an argument in a header', { type: 'header', name: 'X-Note', value: '{args.note}' }],
    ['a line break in a basic password', { type: 'basic', username: 'a', password: '{args.note}' }],
    ['a colon in a basic user name', { type: 'basic', username: '{umlaut}', password: 'p' }],
  ] as [string, Auth][])('refuses %s without quoting it', (_, auth) => {
    const attempt = () => plan(auth);
    expect(attempt).toThrow(expect.objectContaining({ code: 'unsafe_value' }));
    expect(attempt).not.toThrow(/evil|pä|wörd/);
  });

  it('C-56 C-62 applies the auth of the connector to every http tool that has none of its own', () => {
    const request = { url: 'https://x.example/' };
    const tools = {
      first: { protocol: 'http' as const, request },
      second: { protocol: 'http' as const, request },
      other: { protocol: 'http' as const, request, auth: { type: 'header' as const, name: 'X-Key', value: '{key}' } },
      open: { protocol: 'http' as const, request, auth: { type: 'none' as const } },
    };
    const auth = { type: 'bearer' as const, token: '{settings.token}' };
    const [connector] = toPackage({ id: 'x', name: 'X', version: '0.1.0', auth, tools }, new Map()).connectors;
    const headers = Object.values(connector!.tools).map((tool) => {
      const planned = tool.protocol === 'http' ? plan(tool.auth) : null;
      return planned?.kind === 'static' ? planned.headers : null;
    });
    const inherited = { Authorization: 'Bearer s3cret-tok' };
    expect(headers).toEqual([inherited, inherited, { 'X-Key': 'X' }, {}]);
  });

  it('refuses a header name that is none', () => {
    expect(() => plan({ type: 'header', name: 'X: 1\r\nY', value: 'v' })).toThrow(
      expect.objectContaining({ code: 'invalid_manifest' }),
    );
  });
});

function exchangeOf(fields: Partial<Extract<Auth, { type: 'bearer-token-exchange' }>>, secrets?: 'mask') {
  const auth = plan({ type: 'bearer-token-exchange', exchange_url: 'https://x.example/login', ...fields }, secrets);
  if (auth.kind !== 'exchange') throw new Error('no exchange was planned');
  return auth;
}

describe('an exchange', () => {
  it('C-63 C-66 C-67 C-68 C-71 C-72 C-73 C-74 sends the API token in a header, with the defaults of the table', () => {
    expect(exchangeOf({ api_token: '{settings.token}' }).exchange).toEqual({
      url: 'https://x.example/login',
      method: 'POST',
      headers: { authorization: 'token s3cret-tok' },
      body: null,
      identity: 's3cret-tok',
      bearerPath: 'bearerToken',
      expiresPath: 'expiresInMilliseconds',
      expiresUnit: null,
      ttlSec: 300,
      format: 'bearer',
    });
  });

  it('C-64 C-69 sends a login as a JSON body, values typed and templated', () => {
    const { exchange } = exchangeOf({
      exchange_body: { username: '{user}', password: '{settings.umlaut}', remember: true, otp: '{settings.unset}' },
      bearer_path: 'result.jwt',
      expires_path: 'result.exp',
      expires_unit: 's',
      expires_ttl_sec: 540,
      bearer_format: 'bare',
    });
    const body = '{"username":"ada","password":"pä$$:wörd","remember":true}';
    expect(exchange).toMatchObject({ body, identity: body, headers: { 'content-type': 'application/json' } });
    expect(exchange).toMatchObject({
      bearerPath: 'result.jwt',
      expiresPath: 'result.exp',
      expiresUnit: 's',
      ttlSec: 540,
      format: 'bare',
    });
  });

  it.each([
    [
      'C-68 its own header',
      { exchange_auth_header: 'Key {settings.key} {api_token}' },
      { authorization: 'Key X s3cret-tok' },
    ],
    [
      'C-68 the header that the table writes out',
      { exchange_auth_header: 'token {settings.token}' },
      { authorization: 'token s3cret-tok' },
    ],
    [
      'C-70 extra headers',
      { exchange_headers: { Accept: 'application/vnd.x+json', 'X-User': '{user}' } },
      { authorization: 'token s3cret-tok', accept: 'application/vnd.x+json', 'x-user': 'ada' },
    ],
    [
      'C-70 an extra header in place of the default',
      { exchange_headers: { AUTHORIZATION: 'Raw {token}' } },
      { authorization: 'Raw s3cret-tok' },
    ],
    [
      'W-06 no extra header whose setting is empty',
      { exchange_headers: { 'X-Tenant': '{settings.blank}' } },
      { authorization: 'token s3cret-tok' },
    ],
  ])('sends %s', (_, fields, headers) => {
    expect(exchangeOf({ api_token: '{settings.token}', ...fields }).exchange.headers).toEqual(headers);
  });

  it('C-68 ignores exchange_auth_header beside a body', () => {
    const { exchange } = exchangeOf({ exchange_body: { u: '{user}' }, exchange_auth_header: 'token {token}' });
    expect(exchange.headers).toEqual({ 'content-type': 'application/json' });
  });

  it('C-68 takes {api_token} from the auth block, also where a setting has that name', () => {
    const auth: Auth = {
      type: 'bearer-token-exchange',
      exchange_url: 'https://x.example/',
      api_token: '{settings.other}',
    };
    const scope: Scope = { settings: { api_token: 'the setting', other: 'the block' } };
    const planned = planAuth(auth, scope, { secrets: 'reveal', bareNames: new Set(['api_token', 'other']) });
    expect(planned).toMatchObject({
      exchange: { headers: { authorization: 'token the block' }, identity: 'the block' },
    });
  });

  it.each([
    ['a map', { grant_type: 'password', username: '{user}', password: '{umlaut}' }],
    ['text', 'grant_type=password&username={user}&password={umlaut}\n'],
  ])('C-69 sends %s as a form where exchange_headers say so', (_, exchange_body) => {
    const type = 'application/x-www-form-urlencoded; charset=utf-8';
    const { exchange } = exchangeOf({ exchange_body, exchange_headers: { 'Content-Type': type } });
    expect(exchange.headers).toEqual({ 'content-type': type });
    expect(exchange.body).toBe('grant_type=password&username=ada&password=p%C3%A4%24%24%3Aw%C3%B6rd');
  });

  it('C-69 sends a body that is JSON text, its values escaped', () => {
    const { exchange } = exchangeOf({ exchange_body: '{"note": "{args.note}"}' });
    expect(exchange).toMatchObject({
      body: '{"note": "evil\\r\\nX-Admin: 1"}',
      headers: { 'content-type': 'application/json' },
    });
  });

  it('C-65 C-78 K-61 fills arguments into the address and says that one decides its host', () => {
    const { exchange, prefix } = exchangeOf({
      exchange_url: 'https://{args.host}/api/{settings.user}',
      exchange_body: { u: '{user}' },
    });
    expect(exchange.url).toBe('https://h.example/api/ada');
    expect(prefix.origin).toBe('https://h.example');
    expect(prefix.tokens.map((token) => token.source)).toEqual(['{args.host}']);
    expect(exchangeOf({ exchange_url: 'https://x.example/{args.host}', api_token: '{token}' }).prefix.tokens).toEqual(
      [],
    );
  });

  it('C-82 encodes an argument in the path of the address as its parameter asks', () => {
    const auth: Auth = { type: 'bearer-token-exchange', exchange_url: 'https://x.example/{args.path}', api_token: 't' };
    const url = (encodings: Record<string, 'path_segments'>) => {
      const planned = planAuth(
        auth,
        { args: { path: 'a/b c' } },
        { secrets: 'reveal', bareNames: new Set(), encodings },
      );
      return planned.kind === 'exchange' ? planned.exchange.url : '';
    };
    expect(url({})).toBe('https://x.example/a%2Fb%20c');
    expect(url({ path: 'path_segments' })).toBe('https://x.example/a/b%20c');
  });

  it('C-81 fills templates in the paths too, and falls back to the defaults when they are empty', () => {
    const { exchange } = exchangeOf({
      api_token: '{token}',
      bearer_path: '{settings.user}.jwt',
      expires_path: '{settings.blank}',
    });
    expect(exchange).toMatchObject({ bearerPath: 'ada.jwt', expiresPath: 'expiresInMilliseconds' });
  });

  it('C-66 can be a GET', () => {
    expect(exchangeOf({ api_token: '{token}', exchange_method: 'GET' }).exchange.method).toBe('GET');
  });

  it('shows no secret in a dry run', () => {
    const header = exchangeOf({ api_token: '{settings.token}' }, 'mask').exchange;
    const body = exchangeOf({ exchange_body: { p: '{umlaut}' } }, 'mask').exchange;
    expect(header).toMatchObject({ headers: { authorization: 'token [secret]' }, identity: '[secret]' });
    expect(body).toMatchObject({ body: '{"p":"[secret]"}', identity: '{"p":"[secret]"}' });
  });
});
