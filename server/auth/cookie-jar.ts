import { isIP } from 'node:net';

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  /** Only for the host that set it, not for the hosts below. */
  readonly isHostOnly: boolean;
  readonly path: string;
  readonly isSecure: boolean;
  readonly expiresAt: number;
}

/** A session needs a few; all of them are masked in what comes back, and only so many can be. */
const MAX_COOKIES = 24;
const MAX_CHARS = 4096;
const SENDABLE = /^[\x20-\x3a\x3c-\x7e]*$/;

/**
 * The cookies of one session, in memory only. As RFC 6265 has it: a cookie goes to the host that set it, or to the domain it names if that
 * host belongs to it, below its path, over https if it is Secure. There is no list of public suffixes: a jar serves the hosts of one
 * connector, and a person has accepted each of them.
 */
export class CookieJar {
  readonly #now: () => number;
  /** By domain, path and name; in the order in which they were set first. */
  readonly #cookies = new Map<string, Cookie>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Keeps what an answer sets with its Set-Cookie lines. */
  take(url: URL, lines: readonly string[]): void {
    for (const line of lines) {
      const cookie = readCookie(line, url, this.#now());
      if (cookie === null) continue;
      const key = JSON.stringify([cookie.domain, cookie.path, cookie.name]);
      if (cookie.expiresAt <= this.#now()) this.#cookies.delete(key);
      else if (this.#cookies.has(key) || this.#cookies.size < MAX_COOKIES) this.#cookies.set(key, cookie);
    }
  }

  /** The Cookie header of a request; null when none is for it. */
  header(url: URL): string | null {
    const sent = this.#live().filter((cookie) => isFor(cookie, url));
    // A longer path is more particular, and servers read the first of a name.
    sent.sort((one, other) => other.path.length - one.path.length);
    return sent.length === 0 ? null : sent.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  /** The cookie of that name, for a token that a page's script would read from it. */
  value(name: string): string | null {
    return this.#live().find((cookie) => cookie.name === name)?.value ?? null;
  }

  /** What has to be masked. */
  values(): string[] {
    return this.#live().map(({ value }) => value);
  }

  #live(): Cookie[] {
    return [...this.#cookies.values()].filter(({ expiresAt }) => expiresAt > this.#now());
  }
}

function readCookie(line: string, url: URL, now: number): Cookie | null {
  const [pair = '', ...rest] = line.split(';');
  const at = pair.indexOf('=');
  const name = pair.slice(0, Math.max(0, at)).trim();
  const value = pair.slice(at + 1).trim();
  if (name === '' || name.length + value.length > MAX_CHARS || !SENDABLE.test(name) || !SENDABLE.test(value))
    return null;
  const attributes = new Map(rest.map(readAttribute));
  const domain = domainOf(attributes.get('domain') ?? '', url.hostname);
  const isSecure = attributes.has('secure');
  if (domain === null || (isSecure && url.protocol !== 'https:')) return null;
  const path = attributes.get('path') ?? '';
  const cookie = {
    ...{ name, value, isSecure, domain: domain.name, isHostOnly: domain.isHostOnly },
    path: path.startsWith('/') ? path : defaultPath(url),
    expiresAt: expiryOf(attributes, now),
  };
  return keepsPrefix(cookie) ? cookie : null;
}

function readAttribute(text: string): [string, string] {
  const at = text.indexOf('=');
  return at === -1
    ? [text.trim().toLowerCase(), '']
    : [text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()];
}

/** Whom a cookie is for; null for a domain that the host does not belong to. */
function domainOf(written: string, host: string): { name: string; isHostOnly: boolean } | null {
  const name = written.replace(/^\./, '').toLowerCase();
  if (name === '' || name === host) return { name: host, isHostOnly: name === '' || isAddress(host) };
  // A name without a dot would be everybody's, and addresses have no domains.
  if (isAddress(host) || !name.includes('.') || !host.endsWith(`.${name}`)) return null;
  return { name, isHostOnly: false };
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || isIP(host) !== 0;
}

/** The names that promise something must keep it. */
function keepsPrefix({ name, isSecure, isHostOnly, path }: Cookie): boolean {
  if (/^__host-/i.test(name)) return isSecure && isHostOnly && path === '/';
  return isSecure || !/^__secure-/i.test(name);
}

function defaultPath({ pathname }: URL): string {
  const end = pathname.lastIndexOf('/');
  return end <= 0 ? '/' : pathname.slice(0, end);
}

/** Max-Age counts before Expires; without either a cookie lives as long as the session. */
function expiryOf(attributes: ReadonlyMap<string, string>, now: number): number {
  const maxAge = attributes.get('max-age');
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return now + Number(maxAge) * 1000;
  const expires = Date.parse(attributes.get('expires') ?? '');
  return Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires;
}

function isFor({ domain, isHostOnly, path, isSecure }: Cookie, { hostname, pathname, protocol }: URL): boolean {
  if (isSecure && protocol !== 'https:') return false;
  if (hostname !== domain && (isHostOnly || !hostname.endsWith(`.${domain}`))) return false;
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}
