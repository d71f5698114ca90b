import { describe, expect, it } from 'vitest';
import { Secret } from '../secret.ts';
import { expandHostMatch } from './host-match.ts';

const bareNames = new Set(['base_url', 'host']);

function refusal(template: string, settings: Record<string, unknown>): unknown {
  try {
    return expandHostMatch(template, { settings, args: { host: 'evil.com' } }, { bareNames });
  } catch (error) {
    return error;
  }
}

describe('expandHostMatch', () => {
  it.each([
    ['C-23 C-40 plain', '{base_url}/*', 'https://jira.acme.com', 'https://jira.acme.com/*'],
    ['W-17 a trailing slash', '{base_url}/*', 'https://jira.acme.com/', 'https://jira.acme.com/*'],
    ['W-17 a path with a trailing slash', '{settings.base_url}/*', 'https://acme.com/jira/', 'https://acme.com/jira/*'],
    ['W-18 a port', '{base_url}/*', 'http://localhost:8080/', 'http://localhost:8080/*'],
    ['W-18 no default port', '{base_url}/*', 'https://h:443', 'https://h/*'],
    ['a host in capitals', '{base_url}/*', 'HTTPS://Jira.Acme.com', 'https://jira.acme.com/*'],
    ['a host in another alphabet', '{base_url}/*', 'https://münchen.de', 'https://xn--mnchen-3ya.de/*'],
    ['no path', '{base_url}', 'https://h', 'https://h/*'],
    ['W-18 fixed text with a port', 'https://teams.example.com:8443/v2/*', '', 'https://teams.example.com:8443/v2/*'],
    ['fixed text with wildcards', '*://*.example.com/*', '', '*://*.example.com/*'],
    ['W-18 a port under any scheme', '*://example.com:443/*', '', '*://example.com:443/*'],
    ['any port', 'http://localhost:*/*', '', 'http://localhost:*/*'],
    ['a path written by the manifest', '{base_url}/a/*/b?c=*', 'https://h/', 'https://h/a/*/b?c=*'],
  ])('%s', (_, template, baseUrl, expected) => {
    expect(refusal(template, { base_url: baseUrl })).toBe(expected);
  });

  it('fills a host', () => {
    expect(refusal('https://{host}/*', { host: 'h:8443' })).toBe('https://h:8443/*');
  });

  it.each(['https://*', 'https://*.acme.com', '*', 'javascript:x', 'https://u@h', 'file:///etc'])(
    'refuses the setting %j',
    (baseUrl) => {
      expect(refusal('{base_url}/*', { base_url: baseUrl })).toMatchObject({ code: 'unsafe_value' });
    },
  );

  it.each([
    '<all_urls>',
    '*://*/*',
    'https://*/*',
    'https://a.*.com/*',
    'file:///*',
    'https:///x',
    'https://u@h/*',
    'h/*',
    '',
  ])('refuses the template %j', (template) => {
    expect(refusal(template, {})).toMatchObject({ code: 'invalid_manifest' });
  });

  it.each(['https://＊', 'https://﹡', 'https://%2a', 'https://%2A.acme.com'])(
    'refuses %j, which a browser reads as "*"',
    (baseUrl) => {
      expect(refusal('{base_url}/*', { base_url: baseUrl })).toMatchObject({ code: 'invalid_manifest' });
    },
  );

  it('names a missing setting', () => {
    expect(refusal('{base_url}/*', {})).toMatchObject({ code: 'setting_missing' });
  });

  it('refuses an argument', () => {
    expect(refusal('https://{args.host}/*', {})).toMatchObject({ code: 'unsafe_value' });
    expect(refusal('https://h/{args.host}', {})).toMatchObject({ code: 'unsafe_value' });
  });

  it('refuses a secret', () => {
    expect(refusal('{base_url}/*', { base_url: new Secret('https://h') })).toMatchObject({
      code: 'secret_not_allowed_here',
    });
  });
});
