import { describe, expect, it } from 'vitest';
import { originLine, withRealHosts } from './shown-origin.ts';

const SETTINGS = {
  base_url: { default: 'https://api.test' },
  odd: { default: 'https://github.com@evil.test/x' },
  idn: { default: 'https://аpple.test' },
  plain: {},
} as const;

describe('S15 where an address leads', () => {
  it.each([
    ['https://api.test/x/{args.id}', 'https://api.test'],
    ['HTTPS://API.test:8443/x', 'https://api.test:8443'],
    ['https://github.com@evil.test/', 'https://evil.test (written “https://github.com@evil.test”)'],
    ['https://evil.test\\@github.com/', 'https://evil.test'],
    ['https:\\\\evil.test/x', 'https://evil.test (written “https:\\\\evil.test”)'],
    ['https://evil\t.test/', 'https://evil.test (written “https://evil\t.test”)'],
    ['https://аpple.test/', 'https://xn--pple-43d.test (written “https://аpple.test”)'],
    ['https://evil。test/', 'https://evil.test (written “https://evil。test”)'],
    ['https://evil%2etest/', 'https://evil.test (written “https://evil%2etest”)'],
    ['https://0x7f.1/', 'https://127.0.0.1 (written “https://0x7f.1”)'],
    ['https://{args.user}@evil.test/', 'https://evil.test (written “https://{args.user}@evil.test”)'],
    ['https://{args.host}:{args.port}/x', 'https://{args.host}:{args.port}'],
    ['https://{settings.plain}.corp.test/x', 'https://{settings.plain}.corp.test'],
    ['https://a{b}.test/', 'https://a{b}.test'],
    ['https://a b.test/', 'https://a b.test (not a valid address)'],
    ['{base_url}/x', '{base_url} (by default https://api.test)'],
    ['{settings.plain}:8443/x', '{settings.plain}:8443'],
    ['{settings.odd}/x', '{settings.odd} (by default https://evil.test) (written “https://github.com@evil.test/x”)'],
    ['{idn}/x', '{idn} (by default https://xn--pple-43d.test) (written “https://аpple.test”)'],
    ['*://*/*', '*://*'],
    ['https://*.a.test/*', 'https://*.a.test'],
    ['https://a.test:*/*', 'https://a.test:*'],
  ])('%j: %s', (url, line) => {
    expect(originLine(url, SETTINGS)).toBe(line);
  });

  it.each([
    ['see https://api.test/x and {base_url}', 'see https://api.test/x and {base_url}'],
    ['https://аpi.test/x', 'https://аpi.test (that is https://xn--pi-6kc.test)/x'],
    ['https://github.com@evil.test', 'https://github.com@evil.test (that is https://evil.test)'],
    ['https://{args.host}/x', 'https://{args.host}/x'],
    ['日本語', '日本語'],
  ])('in a text: %j', (text, shown) => {
    expect(withRealHosts(text)).toBe(shown);
  });
});
