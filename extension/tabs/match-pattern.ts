import { ForgeError } from '../../shared/errors.ts';

/** A parsed `host_match` or `page.frame`. */
export interface MatchPattern {
  /** Compares a whole address as the browser writes it. */
  matches: (url: string) => boolean;
  /** What the person has to allow, one pattern per scheme, with any path. */
  readonly origins: readonly string[];
  /** Where a tab is opened when no tab matches and the tool names no page. */
  readonly startUrl: string;
}

const SHAPE = /^(\*|https?):\/\/(\*\.)?([^/?#@*:[\]]+|\[[0-9a-f:.]+\])(?::(\d{1,5}|\*))?(\/.*)$/i;
const DEFAULT_PORTS: Record<string, string> = { http: '80', https: '443' };

const parsed = new Map<string, MatchPattern>();
const MAX_PARSED = 500;

/** Reads a match pattern; the same text is parsed once, because every call brings one. */
export function matchPattern(text: string): MatchPattern {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const pattern = parse(text);
  if (parsed.size >= MAX_PARSED) parsed.clear();
  parsed.set(text, pattern);
  return pattern;
}

function parse(text: string): MatchPattern {
  const found = SHAPE.exec(text);
  if (found === null) {
    throw new ForgeError('invalid_request', `${JSON.stringify(text.slice(0, 200))} is not a pattern for web pages`, {
      hint: 'Write it as https://host.example/*, with a port where the site has one.',
    });
  }
  const [, scheme = '', wildcard = '', rawHost = '', port, path = '/*'] = found;
  const host = rawHost.toLowerCase();
  // Browsers refuse `*://` together with a port, so each scheme gets a pattern of its own.
  const schemes = scheme === '*' ? ['http', 'https'] : [scheme.toLowerCase()];
  const expressions = schemes.map((name) => expression(name, wildcard !== '', host, port, path));
  const shownPort = port === undefined || port === '*' ? '' : `:${port}`;
  return {
    matches: (url) => expressions.some((one) => one.test(url)),
    origins: schemes.map((name) => `${name}://${wildcard}${host}${shownPort}/*`),
    startUrl: startUrl(scheme, host, shownPort, path),
  };
}

/** A pattern without a port means every port, as in browsers; an address never shows its scheme's own port. */
function expression(scheme: string, anySubdomain: boolean, host: string, port: string | undefined, path: string) {
  const isAnyPort = port === undefined || port === '*';
  const isDefault = port === DEFAULT_PORTS[scheme];
  const portPart = isAnyPort ? '(?::\\d+)?' : isDefault ? '' : `:${port}`;
  const hostPart = `${anySubdomain ? '(?:[^/?#@:]+\\.)?' : ''}${escape(host)}`;
  const pathPart = path.split('*').map(escape).join('.*');
  // What follows `#` is not part of what a pattern compares.
  return new RegExp(`^${scheme}://${hostPart}${portPart}${pathPart}(?:#.*)?$`, 's');
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** A scheme that is left open means https, except on this computer. */
function startUrl(scheme: string, host: string, port: string, path: string): string {
  const isLocal = host === 'localhost' || host === '127.0.0.1' || host === '[::1]';
  const chosen = scheme === '*' ? (isLocal ? 'http' : 'https') : scheme.toLowerCase();
  const star = path.indexOf('*');
  return `${chosen}://${host}${port}${star === -1 ? path : path.slice(0, star)}`;
}
