import { describe, expect, it } from 'vitest';
import { Secret } from '../secret.ts';
import { expandUrl, urlPrefix } from './expand-url.ts';
import { parseTemplate } from './parse.ts';
import type { Scope } from './scope.ts';
import type { UrlEncoding } from './url-encode.ts';

const NAMES = new Set(['base_url', 'region', 'token', 'ctx']);
const ENCODINGS: Record<string, UrlEncoding> = { raw: 'none', segments: 'path_segments', component: 'uri_component' };

function expand(source: string, scope: Scope, secrets: 'reveal' | 'mask' | 'refuse' = 'reveal'): string {
  return expandUrl(parseTemplate(source, NAMES), scope, { secrets, encodings: ENCODINGS });
}

function refusal(source: string, scope: Scope): unknown {
  try {
    return `not refused: ${expand(source, scope)}`;
  } catch (error) {
    return error;
  }
}

describe('path', () => {
  it.each<[string, string, unknown, string]>([
    ['C-54 C-82 plain', '{args.id}', 'forge', 'forge'],
    ['C-82 encodes a slash', '{args.id}', 'group/project', 'group%2Fproject'],
    ['C-82 encodes what would end the path', '{args.id}', 'a?b#c', 'a%3Fb%23c'],
    ['C-82 encodes a percent sign', '{args.id}', '100%', '100%25'],
    ['C-82 encodes other alphabets', '{args.id}', 'Ärger 漢', '%C3%84rger%20%E6%BC%A2'],
    ['C-82 a number', '{args.id}', 42, '42'],
    ['C-82 two dots inside a name', '{args.id}', 'main..feature', 'main..feature'],
    ['C-83 uri_component by name', '{args.component}', 'a/b', 'a%2Fb'],
    ['C-84 none keeps slashes', '{args.raw}', 'job/team-x/job/build', 'job/team-x/job/build'],
    ['C-84 none keeps escapes', '{args.raw}', 'job/a%20b', 'job/a%20b'],
    ['C-84 none encodes spaces and other alphabets', '{args.raw}', 'job/a bü', 'job/a%20b%C3%BC'],
    ['C-84 none keeps @ and :', '{args.raw}', 'a@b:c', 'a@b:c'],
    ['C-84 path_segments', '{args.segments}', 'src/a b/100%?.ts', 'src/a%20b/100%25%3F.ts'],
    ['W-13 a missing argument', 'a{args.nope}', '', 'a'],
  ])('%s', (_, token, value, expected) => {
    const scope = { args: { id: value, raw: value, segments: value, component: value } };
    expect(expand(`https://api.example.com/x/${token}/y`, scope)).toBe(`https://api.example.com/x/${expected}/y`);
  });

  it('C-40 keeps the slashes of a setting and encodes what cannot stand in a path', () => {
    expect(expand('https://h/{settings.ctx}/x', { settings: { ctx: 'a/b c?d' } })).toBe('https://h/a/b%20c%3Fd/x');
  });

  it.each([
    ['args.id', '..'],
    ['args.id', '.'],
    ['args.id', '../x'],
    ['args.id', 'a/../b'],
    ['args.id', '%2e%2e'],
    ['args.id', '.%2E'],
    ['args.id', '..\\x'],
    ['args.id', '..;a=b'],
    ['args.raw', '..'],
    ['args.raw', 'a/../../b'],
    ['args.raw', '%2e%2e'],
    ['args.raw', '.%2e/x'],
    ['args.raw', '%252e%252e'],
    ['args.raw', '..%2fx'],
    ['args.raw', 'a%2f..%2fb'],
    ['args.raw', '%5c..%5c'],
    ['args.raw', '..%252fx'],
    ['args.raw', 'a/.'],
    ['args.segments', '../x'],
    ['args.segments', 'a/./b'],
    ['args.segments', '%2e%2e/x'],
  ])('C-82 C-84 refuses a dot segment in {%s}: %s', (name, value) => {
    const scope = { args: { id: value, raw: value, segments: value } };
    const error = refusal(`https://h/x/{${name}}/y`, scope);
    expect(error).toMatchObject({ code: 'unsafe_value' });
    expect(String(error)).toMatch(new RegExp(`argument "${name.slice(5)}" puts "\\.\\.?" into`));
  });

  it.each([
    ['{args.id}/y', { id: '' }, 'id'],
    ['{args.id}', { id: '' }, 'id'],
    ['{args.id}', {}, 'id'],
    ['{args.id}?q=1', {}, 'id'],
    ['{args.id}{args.raw}/y', { id: '', raw: '' }, 'id'],
    ['{args.raw}', { raw: '/job/x' }, 'raw'],
    ['{args.raw}', { raw: 'job//x' }, 'raw'],
    ['{args.raw}', { raw: '/' }, 'raw'],
    ['{args.raw}/y', { raw: 'job/' }, 'raw'],
    ['{args.segments}/y', { segments: 'a//b' }, 'segments'],
  ])('refuses an empty segment: %s with %j', (path, args, name) => {
    const error = refusal(`https://h/x/${path}`, { args });
    expect(error).toMatchObject({ code: 'invalid_argument' });
    expect(String(error)).toContain(`The argument "${name}" is empty or leaves an empty segment`);
  });

  it.each([
    ['https://h/x/{args.raw}', { raw: 'job/' }, 'https://h/x/job/'],
    ['{base_url}{args.raw}', { raw: '/' }, 'https://h/'],
    ['https://h/x{args.id}/y', {}, 'https://h/x/y'],
    ['https://h/x/{args.id}-1', { id: '' }, 'https://h/x/-1'],
    ['https://h//x/{args.id}', { id: 'a' }, 'https://h//x/a'],
  ])('leaves other slashes alone: %s with %j', (source, args, expected) => {
    expect(expand(source, { args, settings: { base_url: 'https://h' } })).toBe(expected);
  });

  it.each([
    ['https://h/{settings.ctx}/x', 'https://h/x'],
    ['https://h/{settings.ctx}{settings.region}/x', 'https://h/x'],
    ['{base_url}/{ctx}/x/{args.id}', 'https://h/a/x/1'],
    ['https://h/a{settings.ctx}/x', 'https://h/a/x'],
    ['https://h/{settings.ctx}', 'https://h/'],
  ])('leaves no empty segment for an empty setting: %s', (source, expected) => {
    expect(expand(source, { settings: { ctx: '', base_url: 'https://h/a/' }, args: { id: '1' } })).toBe(expected);
  });

  it('refuses a dot segment that an argument completes', () => {
    expect(refusal('https://h/x/.{args.id}/y', { args: { id: '.' } })).toMatchObject({ code: 'unsafe_value' });
    expect(refusal('https://h/x/%2{args.id}/y', { args: { id: 'e' } })).toMatchObject({ code: 'unsafe_value' });
  });

  it.each(['a\\b', 'a?b', 'a#b', 'a\nb', 'a\0b', 'a\tb'])('C-84 none refuses %j', (value) => {
    const error = refusal('https://h/{args.raw}', { args: { raw: value } });
    expect(error).toMatchObject({ code: 'unsafe_value' });
    expect(String(error)).toContain(JSON.stringify(value[1]));
  });

  it.each(['{args.id}', '{args.raw}', '{args.segments}', '?q={args.id}', '#{args.id}'])(
    'refuses a lone surrogate in %s',
    (token) => {
      const scope = { args: { id: '\ud800', raw: 'a\udfff', segments: '\ud83d/' } };
      expect(refusal(`https://h/${token}`, scope)).toMatchObject({ code: 'unsafe_value' });
    },
  );
});

describe('query and fragment', () => {
  it.each([
    ['K-07 an argument in a query', 'https://h/x?q={args.v}&r=1', 'https://h/x?q=a%26b%3D%2F%23&r=1'],
    ['K-07 a query without a path', 'https://h?q={args.v}', 'https://h?q=a%26b%3D%2F%23'],
    ['K-07 whatever the parameter says', 'https://h/x?q={args.raw}', 'https://h/x?q=..%2F%3F%26'],
    ['K-07 a setting', 'https://h/x?q={settings.ctx}', 'https://h/x?q=a%2Fb'],
    ['a fragment', 'https://h/x#/i/{args.v}', 'https://h/x#/i/a%26b%3D%2F%23'],
    ['a question mark in a fragment', 'https://h/x#a?{args.raw}', 'https://h/x#a?..%2F%3F%26'],
    ['W-13 a missing argument', 'https://h/x?q={args.nope}&r=1', 'https://h/x?q=&r=1'],
  ])('%s', (_, source, expected) => {
    expect(expand(source, { args: { v: 'a&b=/#', raw: '../?&' }, settings: { ctx: 'a/b' } })).toBe(expected);
  });
});

describe('base', () => {
  it.each([
    ['C-40 plain', 'https://jira.acme.com', '{base_url}/x', 'https://jira.acme.com/x'],
    ['W-17 a trailing slash', 'https://jira.acme.com/', '{base_url}/x', 'https://jira.acme.com/x'],
    ['W-17 several trailing slashes', 'https://h///', '{settings.base_url}/x', 'https://h/x'],
    ['W-17 a path with a trailing slash', 'https://h/jira/', '{base_url}/x', 'https://h/jira/x'],
    ['W-17 a slash that comes from an argument', 'https://h/', '{base_url}{args.raw}', 'https://h/job/x'],
    ['W-17 a slash on its own when nothing follows', 'https://h/', '{base_url}', 'https://h/'],
    ['a port', 'http://127.0.0.1:8080', '{base_url}/x', 'http://127.0.0.1:8080/x'],
    ['spaces around it', ' https://h ', '{base_url}/x', 'https://h/x'],
    ['a query directly after it', 'https://h', '{base_url}?a={args.id}', 'https://h?a=1'],
    ['a whole address with a query', 'https://h/hook?sig=%2F1', '{base_url}', 'https://h/hook?sig=%2F1'],
    ['a line break after the template', 'https://h', '{base_url}/x\n', 'https://h/x'],
  ])('%s', (_, baseUrl, source, expected) => {
    expect(expand(source, { settings: { base_url: baseUrl }, args: { raw: '/job/x', id: 1 } })).toBe(expected);
  });

  it('W-17 joins a path setting with one slash', () => {
    const settings = { base_url: 'https://h/', ctx: '/jira/' };
    expect(expand('{base_url}{settings.ctx}/rest', { settings })).toBe('https://h/jira/rest');
  });

  it.each([
    'jira.acme.com',
    'ftp://h',
    'https://',
    'https://user@h',
    'https://user:pw@h/',
    'https://h?x=1',
    'https://h/#a',
    'https://h\\@evil.com',
    'https:/h',
    'https:h',
    'javascript:alert(1)',
    'https://h/a\nb',
    'https://h/\0',
    'https://h:99999',
    'https://h/\ud800',
    'https://h/../x',
  ])('refuses %j', (baseUrl) => {
    const error = refusal('{base_url}/x', { settings: { base_url: baseUrl } });
    expect(error).toMatchObject({ code: 'unsafe_value' });
    expect(String(error)).toContain('The setting "base_url"');
  });

  it.each([{}, { base_url: '' }, { base_url: null }])('names the setting that is missing in %j', (settings) => {
    const error = refusal('{base_url}/x', { settings });
    expect(error).toMatchObject({ code: 'setting_missing' });
    expect(String(error)).toContain('"base_url"');
  });

  it.each(['{args.url}', '{args.url}/x', ' {result.url}'])('refuses a whole URL from a call: %s', (source) => {
    const scope = { args: { url: 'https://evil.com' }, result: { url: 'https://evil.com' } };
    expect(refusal(source, scope)).toMatchObject({ code: 'unsafe_value' });
  });

  it.each(['.evil.com', '@evil.com', ':8080', 'x'])('refuses %s directly after a host', (value) => {
    const error = refusal('{base_url}{args.raw}', { settings: { base_url: 'https://h' }, args: { raw: value } });
    expect(error).toMatchObject({
      code: 'unsafe_value',
      message: expect.stringContaining('"raw" must start with "/"') as unknown,
    });
  });
});

describe('authority', () => {
  it.each([
    ['K-07 a host', 'https://{args.host}/api', 'nac.acme.com', 'https://nac.acme.com/api'],
    ['K-07 a host with a port', 'https://{args.host}/api', 'h:8443', 'https://h:8443/api'],
    ['K-07 an IPv6 address', 'https://{args.host}/api', '[::1]:8443', 'https://[::1]:8443/api'],
    ['K-07 a part of a host', 'https://{args.host}.example.com/', 'eu-1', 'https://eu-1.example.com/'],
    ['K-07 a port', 'https://h:{args.host}/', 8443, 'https://h:8443/'],
    ['K-07 nothing after it', 'https://{args.host}', 'h', 'https://h'],
  ])('%s', (_, source, host, expected) => {
    expect(expand(source, { args: { host } })).toBe(expected);
  });

  it.each([
    'evil/@',
    'a@evil.com',
    'evil.com/',
    'evil.com?',
    'evil.com#',
    'evil.com\\',
    'a b',
    'a\nb',
    'h:x',
    'h:',
    ':80',
    'h:123456',
    'https://evil.com',
    'ä.com',
    '%65vil.com',
    '[::1',
    '[::1]x',
    'a,b',
  ])('K-07 refuses %j', (host) => {
    const error = refusal('https://{args.host}/api', { args: { host } });
    expect(error).toMatchObject({ code: 'unsafe_value' });
    expect(String(error)).toContain('The argument "host"');
  });

  it('K-07 refuses a port where the template has one already', () => {
    expect(refusal('https://{args.host}:443/', { args: { host: 'h:80' } })).toMatchObject({ code: 'unsafe_value' });
  });

  it('K-07 refuses a path where a host is expected', () => {
    expect(refusal('https://h{args.path}', { args: { path: '/x' } })).toMatchObject({ code: 'unsafe_value' });
  });

  it('names what is missing', () => {
    expect(refusal('https://{args.host}/x', {})).toMatchObject({ code: 'invalid_argument' });
    expect(refusal('https://{region}.h/x', {})).toMatchObject({ code: 'setting_missing' });
  });
});

it.each([
  '',
  ' ',
  '/issues',
  'h/x',
  'ftp://h',
  'http{args.s}://h',
  '://h',
  'https://',
  'https:///x',
  'https://u:p@h/',
  'https://u@h/',
  '*://h/',
])('refuses the template %j', (source) => {
  expect(refusal(source, { args: { s: 's' } })).toMatchObject({ name: 'ForgeError' });
});

it('keeps a dot segment that the manifest itself wrote', () => {
  expect(expand('https://h/a/../b/{args.id}', { args: { id: 'x' } })).toBe('https://h/a/../b/x');
});

it('never reads a value as a template', () => {
  const scope = { args: { id: '{settings.token}' }, settings: { token: new Secret('hunter2') } };
  expect(expand('https://h/{args.id}?q={args.id}', scope)).toBe(
    'https://h/%7Bsettings.token%7D?q=%7Bsettings.token%7D',
  );
});

describe('secrets', () => {
  const scope = {
    settings: {
      token: new Secret('a/b'),
      base_url: new Secret('https://hooks.example.com/T1/'),
      region: new Secret('eu'),
    },
  };

  it('reveals', () => {
    expect(expand('{base_url}/x?t={token}', scope)).toBe('https://hooks.example.com/T1/x?t=a%2Fb');
  });

  it.each([
    ['{base_url}/x?t={token}', '[secret]/x?t=[secret]'],
    ['{base_url}', '[secret]'],
    ['https://{region}.h/{token}#{token}', 'https://[secret].h/[secret]#[secret]'],
  ])('masks %s', (source, expected) => {
    expect(expand(source, scope, 'mask')).toBe(expected);
  });

  it('checks arguments in a dry run too', () => {
    expect(() => expand('{base_url}/{args.raw}', { ...scope, args: { raw: '../x' } }, 'mask')).toThrow(/"raw"/);
  });

  it.each(['{base_url}/x', 'https://{region}.h/', 'https://h/{token}', 'https://h/?{token}'])(
    'refuses in %s',
    (source) => {
      expect(() => expand(source, scope, 'refuse')).toThrow(
        expect.objectContaining({ code: 'secret_not_allowed_here' }),
      );
    },
  );
});

describe('urlPrefix', () => {
  const options = { secrets: 'reveal' } as const;

  it.each([
    ['a fixed host', 'https://API.example.com/x/{args.a}', 'https://api.example.com', []],
    ['a setting', '{settings.base_url}/x/{args.a}', 'https://h:8443', ['{settings.base_url}']],
    ['K-07 an argument', 'https://{args.host}/x/{args.a}', 'https://evil.com', ['{args.host}']],
  ])('says that %s decides', (_, source, origin, tokens) => {
    const scope = { settings: { base_url: 'https://h:8443/p/' }, args: { host: 'evil.com' } };
    const prefix = urlPrefix(source, scope, options);
    expect(prefix.origin).toBe(origin);
    expect(prefix.tokens.map((token) => token.source)).toEqual(tokens);
  });
});
