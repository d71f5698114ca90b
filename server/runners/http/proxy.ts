import { ForgeError } from '../../../shared/errors.ts';
import { portOf } from './address-rules.ts';
import { namesLoopback } from './addresses.ts';
import { parseUrl } from '../../../shared/parse-url.ts';

/** Which proxies to use, in the manner of HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
export interface ProxySettings {
  http?: string | undefined;
  https?: string | undefined;
  /** Hosts to call directly: `example.com` with all its subdomains, `example.com:8080`, or `*`. */
  noProxy?: string | undefined;
}

interface Exception {
  host: string;
  port: number | null;
}

/** Says which proxy a request goes through; this computer is always called directly. */
export function chooseProxy(settings: ProxySettings): (url: URL) => URL | null {
  const http = parseProxy('HTTP_PROXY', settings.http);
  const https = parseProxy('HTTPS_PROXY', settings.https);
  const exceptions = parseExceptions(settings.noProxy ?? '');
  if (http === null && https === null) return () => null;
  return (url) => {
    const proxy = url.protocol === 'https:' ? https : http;
    if (proxy === null || namesLoopback(url)) return null;
    return exceptions.some((exception) => covers(exception, url)) ? null : proxy;
  };
}

function parseProxy(name: string, value: string | undefined): URL | null {
  if (value === undefined || value.trim() === '') return null;
  const text = value.trim();
  const address = text.includes('://') ? text : `http://${text}`;
  const url = /^https?:/i.test(address) ? parseUrl(address) : null;
  if (url !== null) return url;
  // The value itself is not repeated: it may hold a password.
  throw new ForgeError('invalid_config', `${name} must be the address of a proxy, such as http://proxy.example:3128`);
}

function parseExceptions(text: string): Exception[] {
  return text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const withPort = /^(.+):(\d+)$/.exec(entry);
      const isBareIpv6 = withPort?.[1]?.includes(':') === true && !entry.startsWith('[');
      const host = withPort === null || isBareIpv6 ? entry : (withPort[1] ?? entry);
      const port = withPort === null || isBareIpv6 ? null : Number(withPort[2]);
      return { host: host.toLowerCase().replace(/^\*?\./, ''), port };
    });
}

function covers({ host, port }: Exception, url: URL): boolean {
  if (port !== null && port !== portOf(url)) return false;
  const name = url.hostname.replace(/\.$/, '');
  return host === '*' || name === host || name === `[${host}]` || name.endsWith(`.${host}`);
}
