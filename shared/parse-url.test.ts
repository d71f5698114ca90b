import { expect, it } from 'vitest';
import { isOwnUrl } from './own-origins.ts';
import { parseUrl } from './parse-url.ts';

/** By then its callers have been compiled. */
const OFTEN = 30_000;

it('S1 an address with letters beyond ASCII stays one, however often it is asked about', () => {
  const wrong = new Set<string>();
  for (let count = 0; count < OFTEN; count += 1) {
    if (parseUrl('https://münchen.de/straße')?.host !== 'xn--mnchen-3ya.de') wrong.add('another host');
    // Browsers leave a soft hyphen out.
    if (!isOwnUrl('http://local\u00adhost:8403/', [8403])) wrong.add('Forge’s own page taken for another');
  }
  expect([...wrong]).toEqual([]);
});

it('text that is no address is none', () => {
  expect(['', 'a', '/path', 'https://', 'https://a b'].map((text) => parseUrl(text))).toEqual([
    null,
    null,
    null,
    null,
    null,
  ]);
  expect(parseUrl('/path', new URL('https://a.example/b'))?.href).toBe('https://a.example/path');
});
