import { describe, expect, it } from 'vitest';
import { CookieJar } from './cookie-jar.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

function sentTo(setBy: string, lines: string[], url: string): string | null {
  const jar = new CookieJar(() => NOW);
  jar.take(new URL(setBy), lines);
  return jar.header(new URL(url));
}

describe('cookies go where they belong', () => {
  it.each([
    ['the host that set it', 'https://a.test/', 'c=1', 'https://a.test/x', 'c=1'],
    ['another host', 'https://a.test/', 'c=1', 'https://b.test/', null],
    ['a host below, without a domain', 'https://a.test/', 'c=1', 'https://x.a.test/', null],
    ['a host below the domain', 'https://x.a.test/', 'c=1; Domain=.a.test', 'https://y.a.test/', 'c=1'],
    ['a name that only ends alike', 'https://x.a.test/', 'c=1; Domain=a.test', 'https://evila.test/', null],
    ['a domain of somebody else', 'https://evil.test/', 'c=1; Domain=a.test', 'https://a.test/', null],
    ['a domain of one label', 'https://a.test/', 'c=1; Domain=test', 'https://b.test/', null],
    ['an address with a domain', 'http://127.0.0.1/', 'c=1; Domain=0.0.1', 'http://127.0.0.1/', null],
    ['an address that names itself', 'http://127.0.0.1/', 'c=1; Domain=127.0.0.1', 'http://127.0.0.1/', 'c=1'],
    ['plain http, if it is Secure', 'https://a.test/', 'c=1; Secure', 'http://a.test/', null],
    ['nobody, if plain http set it Secure', 'http://a.test/', 'c=1; Secure', 'https://a.test/', null],
    ['its path', 'https://a.test/', 'c=1; Path=/api', 'https://a.test/api/x', 'c=1'],
    ['another path', 'https://a.test/', 'c=1; Path=/api', 'https://a.test/apix', null],
    ['the folder it came from', 'https://a.test/w/login', 'c=1', 'https://a.test/w/api', 'c=1'],
    ['not above that folder', 'https://a.test/w/login', 'c=1', 'https://a.test/', null],
    [
      'nobody once it has expired',
      'https://a.test/',
      'c=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      'https://a.test/',
      null,
    ],
    [
      'Max-Age before Expires',
      'https://a.test/',
      'c=1; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      'https://a.test/',
      'c=1',
    ],
    ['nobody with a control character', 'https://a.test/', 'c=1\r\nX: y', 'https://a.test/', null],
    ['nobody without a name', 'https://a.test/', 'c', 'https://a.test/', null],
    [
      'nobody if __Host- names a domain',
      'https://x.a.test/',
      '__Host-c=1; Secure; Path=/; Domain=a.test',
      'https://x.a.test/',
      null,
    ],
    [
      'its host if __Host- keeps its word',
      'https://a.test/',
      '__Host-c=1; Secure; Path=/',
      'https://a.test/',
      '__Host-c=1',
    ],
  ])('%s', (_what, setBy, line, url, sent) => {
    expect(sentTo(setBy, [line], url)).toBe(sent);
  });

  it('replaces, removes and orders cookies', () => {
    const jar = new CookieJar(() => NOW);
    const url = new URL('https://a.test/x/y');
    jar.take(url, ['a=1; Path=/', 'b=2; Path=/x', 'c=3; Path=/']);
    expect(jar.header(url)).toBe('b=2; a=1; c=3');
    jar.take(url, ['a=new; Path=/', 'c=; Path=/; Max-Age=0']);
    expect(jar.header(url)).toBe('b=2; a=new');
    expect(jar.values()).toEqual(['new', '2']);
    expect(jar.value('a')).toBe('new');
    expect(jar.value('c')).toBeNull();
  });

  it('keeps no more than a session needs', () => {
    const jar = new CookieJar(() => NOW);
    jar.take(
      new URL('https://a.test/'),
      Array.from({ length: 1000 }, (_, index) => `c${index}=1`),
    );
    expect(jar.values()).toHaveLength(24);
  });
});
