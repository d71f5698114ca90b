import { describe, expect, it } from 'vitest';
import { isEverySite, isOwnPattern, isOwnUrl, ownPageOrigins } from './own-origins.ts';

const PORTS = [8403, 6247];

describe('S1 what Forge’s own origins are', () => {
  it.each([
    ...['http://127.0.0.1:8403/', 'http://127.0.0.1:6247/emit', 'https://127.0.0.1:8403/', 'HTTP://LOCALHOST:8403'],
    ...[
      'http://localhost:8403/x?y#z',
      'http://localhost.:8403/',
      'http://localhost..:8403/',
      'http://a.b.localhost:8403/',
    ],
    ...[
      'http://app.LocalHost.:8403/',
      'http://localhost%2e:8403/',
      'http://127.255.255.254:8403/',
      'http://127.1:8403/',
    ],
    ...['http://127.0.0.1.:8403/', 'http://2130706433:8403/', 'http://0x7f000001:8403/', 'http://0x7f.1:8403/'],
    ...[
      'http://017700000001:8403/',
      'http://0177.0.0.1:8403/',
      'http://１２７.０.０.１:8403/',
      'http://0.0.0.0:8403/',
      'http://0:8403/',
    ],
    ...['http://[::1]:8403/', 'http://[0:0:0:0:0:0:0:1]:8403/', 'http://[::]:8403/', 'http://[::ffff:127.0.0.1]:8403/'],
    ...[
      'http://[::ffff:7f00:1]:8403/',
      'http://[::FFFF:127.9.9.9]:8403/',
      'http://[::127.0.0.1]:8403/',
      'http://[::ffff:0:0]:8403/',
    ],
    ...[
      'http://user:pass@127.0.0.1:8403/',
      'http://evil.test@localhost:8403/',
      'http:127.0.0.1:8403/',
      'http:\\\\127.0.0.1:8403\\x',
    ],
    ...[
      'ws://127.0.0.1:8403/bridge',
      'wss://localhost:8403/',
      'ftp://localhost:8403/',
      'foo://0x7f.1:8403/',
      'javascript://127.0.0.1:8403/',
    ],
    ...[
      'blob:http://127.0.0.1:8403/3c1e',
      'view-source:http://localhost:8403/',
      'filesystem:http://127.1:8403/temporary/x',
    ],
    ...[
      'view-source:blob:http://127.0.0.1:8403/x',
      '  http://127.0.0.1:8403/',
      'http://127.0.0.1:08403/',
      'http://local\thost:8403/',
    ],
  ])('%s is one', (url) => {
    expect(isOwnUrl(url, PORTS)).toBe(true);
  });

  it.each([
    ...[
      'http://127.0.0.1:8404/',
      'http://127.0.0.1/',
      'http://localhost:5000/',
      'https://jira.example:8403/',
      'http://10.0.0.1:8403/',
    ],
    ...[
      'http://localhost.evil.test:8403/',
      'http://127.0.0.1.evil.test:8403/',
      'http://notlocalhost:8403/',
      'http://128.0.0.1:8403/',
    ],
    ...[
      'http://evil.test/http://127.0.0.1:8403/',
      'http://127.0.0.1:8403@evil.test/',
      'http://evil.test/?u=http://localhost:8403',
    ],
    ...[
      'about:blank',
      'data:text/html,http://127.0.0.1:8403/',
      '',
      'nonsense',
      'chrome://settings',
      'http://[::2]:8403/',
      'http://[2001::1]:8403/',
    ],
  ])('%s is none', (url) => {
    expect(isOwnUrl(url, PORTS)).toBe(false);
  });

  it('a port that is not written is the one of the scheme', () => {
    expect([isOwnUrl('http://localhost/', [80]), isOwnUrl('https://127.0.0.1/', [443])]).toEqual([true, true]);
    expect([isOwnUrl('https://localhost/', [80]), isOwnUrl('http://localhost/', [8403])]).toEqual([false, false]);
  });

  it.each([
    ['http://127.0.0.1:8403/*', true],
    ['*://localhost:6247/*', true],
    ['http://*.localhost:8403/*', true],
    ['https://*.127.0.0.1:8403/x*', true],
    ['http://[::1]:8403/*', true],
    ['http://127.0.0.1/*', false],
    ['http://localhost:*/*', false],
    ['*://*/*', false],
    ['<all_urls>', false],
    ['http://*:8403/*', false],
    ['http://shop.test:8403/*', false],
  ])('the pattern %s stands for nothing else: %j', (pattern, isOwn) => {
    expect(isOwnPattern(pattern, PORTS)).toBe(isOwn);
  });

  it.each([
    ...['<all_urls>', '*://*/*', 'http://*/*', 'https://*', 'http://*:8403/*', ' *://*:*/x'].map(
      (p) => [p, true] as const,
    ),
    ...['https://*.test/*', '{base_url}/*', 'https://a.test/*'].map((p) => [p, false] as const),
  ])('the pattern %s stands for every site: %j', (pattern, isEvery) => {
    expect(isEverySite(pattern)).toBe(isEvery);
  });

  it('names the origins that Forge’s page can have', () => {
    expect(ownPageOrigins([8403, 80])).toEqual([
      'http://127.0.0.1:8403',
      'http://localhost:8403',
      'http://127.0.0.1',
      'http://localhost',
    ]);
  });
});
