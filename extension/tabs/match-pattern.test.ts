import { describe, expect, it } from 'vitest';
import { matchPattern } from './match-pattern.ts';

const MATCHES: [pattern: string, url: string, expected: boolean][] = [
  ['https://jira.acme.com/*', 'https://jira.acme.com/browse/A-1?x=1#top', true],
  ['https://jira.acme.com/*', 'http://jira.acme.com/', false],
  ['https://jira.acme.com/*', 'https://jira.acme.com.evil.example/', false],
  ['https://jira.acme.com/*', 'https://evil.example/https://jira.acme.com/', false],
  ['https://jira.acme.com/*', 'https://jiraxacme.com/', false],
  ['https://jira.acme.com/*', 'https://user@jira.acme.com/', false],
  ['https://jira.acme.com/*', 'https://jira.acme.com:8443/', true],
  ['http://127.0.0.1:5000/*', 'http://127.0.0.1:5000/x', true],
  ['http://127.0.0.1:5000/*', 'http://127.0.0.1:5001/x', false],
  ['http://127.0.0.1:5000/*', 'http://127.0.0.1:50000/x', false],
  ['*://127.0.0.1:5000/*', 'http://127.0.0.1:5000/', true],
  ['*://127.0.0.1:5000/*', 'https://127.0.0.1:5000/', true],
  ['*://127.0.0.1:443/*', 'https://127.0.0.1/', true],
  ['*://127.0.0.1:443/*', 'http://127.0.0.1/', false],
  ['https://host.example:443/*', 'https://host.example/', true],
  ['https://host.example:*/*', 'https://host.example:9/', true],
  ['*://*.acme.com/*', 'https://a.b.acme.com/', true],
  ['*://*.acme.com/*', 'http://acme.com/', true],
  ['*://*.acme.com/*', 'https://notacme.com/', false],
  ['https://acme.com/app/*', 'https://acme.com/app/x', true],
  ['https://acme.com/app/*', 'https://acme.com/other', false],
  ['https://acme.com/exact', 'https://acme.com/exact#part', true],
  ['https://acme.com/exact', 'https://acme.com/exactly', false],
  ['https://acme.com/a*/b?q=*', 'https://acme.com/a1/b?q=2', true],
  ['http://[::1]:3000/*', 'http://[::1]:3000/', true],
  ['HTTPS://ACME.com/*', 'https://acme.com/', true],
  ['https://acme.com/*', 'chrome://extensions/', false],
  ['https://acme.com/*', '', false],
];

describe('match patterns', () => {
  it.each(MATCHES)('W-18 %s against %s is %s', (pattern, url, expected) => {
    expect(matchPattern(pattern).matches(url)).toBe(expected);
  });

  it.each([
    ['https://jira.acme.com/*', ['https://jira.acme.com/*'], 'https://jira.acme.com/'],
    ['*://127.0.0.1:5000/*', ['http://127.0.0.1:5000/*', 'https://127.0.0.1:5000/*'], 'http://127.0.0.1:5000/'],
    ['*://*.acme.com/app/*', ['http://*.acme.com/*', 'https://*.acme.com/*'], 'https://acme.com/app/'],
    ['https://acme.com:*/exact', ['https://acme.com/*'], 'https://acme.com/exact'],
  ])('C-23 %s asks for %j and opens %s', (pattern, origins, startUrl) => {
    expect(matchPattern(pattern)).toMatchObject({ origins, startUrl });
  });

  it.each([
    '<all_urls>',
    '*://*/*',
    'file:///etc/*',
    'https://*',
    'https://a@b/*',
    'javascript://x/*',
    '',
    'https:///*',
  ])('refuses %j', (pattern) => {
    expect(() => matchPattern(pattern)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
