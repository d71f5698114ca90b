import { unsafe } from './scope.ts';
import type { Token } from './parse.ts';

export type UrlEncoding = 'uri_component' | 'none' | 'path_segments';

const LONE_SURROGATE = /\p{Cs}/u;
const NOT_IN_A_PATH = /%(?![0-9A-Fa-f]{2})|[^%A-Za-z0-9\-._~!$&'()*+,;=:@/]/gu;
const HOST_AND_PORT = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/;

/** True for half of a character pair, which no UTF-8 encoder can write. */
export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}

/** Refuses text that cannot be written in a URL or a form at all. */
export function requireWellFormed(text: string, token: Token): void {
  if (hasLoneSurrogate(text)) throw unsafe(token, 'contains half of a character (a lone surrogate)');
}

/** Keeps slashes and valid escapes, and encodes whatever may not stand in a path. */
export function encodePathText(text: string): string {
  return text.replace(NOT_IN_A_PATH, encodeURIComponent);
}

/** Encodes an argument for a path in the way its parameter asks for (C-82, C-83, C-84). */
export function encodePathArgument(text: string, token: Token, encoding: UrlEncoding): string {
  switch (encoding) {
    case 'uri_component':
      return encodeURIComponent(text);
    case 'path_segments':
      return text.split('/').map(encodeURIComponent).join('/');
    case 'none': {
      const found = /[\p{Cc}\\?#]/u.exec(text)?.[0];
      if (found === undefined) return encodePathText(text);
      throw unsafe(token, `contains ${JSON.stringify(found)}, which may not stand in a URL path`);
    }
  }
}

/** Refuses anything but `host` or `host:port`, so that a value can never become user info or a path (K-07). */
export function requireHost(text: string, token: Token): void {
  if (HOST_AND_PORT.test(text)) return;
  throw unsafe(token, 'must be a host name with an optional port, such as "example.com:8443"');
}
