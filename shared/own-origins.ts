import { ForgeError } from './errors.ts';
import { parseUrl } from './parse-url.ts';

/** The ports that Forge listens on unless it is told otherwise: its page and API, and the local agent. */
export const DEFAULT_OWN_PORTS: readonly number[] = [8403, 6247];

/** Schemes whose hosts the URL parser writes in one way, with the port each leaves out. */
const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443, 'ws:': 80, 'wss:': 443, 'ftp:': 21 };

/** `blob:`, `view-source:` and their like stand around the address they are about. */
const MAX_WRAPPINGS = 4;

/**
 * Whether an address reaches one of Forge's own ports on this computer, however it is spelled. Whoever runs a script there is Forge's
 * administrator. A name that only resolves to this computer is left out: Forge answers to no such Host.
 */
export function isOwnUrl(url: string, ports: readonly number[]): boolean {
  const place = placeOf(url);
  return place !== null && ports.includes(place.port) && isThisComputer(place.host);
}

/** Whether every address that a match pattern stands for is Forge's own. One without a port stands for all ports. */
export function isOwnPattern(pattern: string, ports: readonly number[]): boolean {
  const [, scheme = '', authority = ''] = /^([a-z*]+):\/\/(?:\*\.)?([^/?#]*)/i.exec(pattern) ?? [];
  // Whatever stands before `localhost` is this computer too, and before an address nothing can stand.
  return /:\d+$/.test(authority) && isOwnUrl(`${scheme === '*' ? 'http' : scheme}://${authority}/`, ports);
}

/** Whether a match pattern stands for every host. */
export function isEverySite(pattern: string): boolean {
  return /^(<all_urls>|[a-z*]+:\/\/\*(:(\d+|\*))?(\/.*)?)$/i.test(pattern.trim());
}

/** The origins under which Forge's own page can be open; Forge answers to no other Host. */
export function ownPageOrigins(ports: readonly number[]): string[] {
  return ports.flatMap((port) => ['127.0.0.1', 'localhost'].map((host) => new URL(`http://${host}:${port}/`).origin));
}

export function ownPageRefused(place: string): ForgeError {
  return new ForgeError('address_refused', `${place} is Forge’s own page, where no tool may run.`, {
    hint: 'Use the address of the service that the tool is for.',
  });
}

function placeOf(address: string): { host: string; port: number } | null {
  let text = address;
  for (let depth = 0; depth <= MAX_WRAPPINGS; depth += 1) {
    const url = parseUrl(text);
    if (url === null) return null;
    const { protocol, host, hostname, port } = url;
    const standard = DEFAULT_PORTS[protocol];
    if (standard !== undefined) return { host: hostname, port: port === '' ? standard : Number(port) };
    // The parser leaves the hosts of other schemes as they are written, so they are read once more as those of a web page.
    text = host === '' ? text.slice(protocol.length) : `http://${host}/`;
  }
  return null;
}

/** Takes a host as the URL parser writes it: IPv4 in four decimal numbers, IPv6 in its shortest form. */
function isThisComputer(host: string): boolean {
  const name = host.toLowerCase().replace(/\.+$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  if (/^(127\.\d+\.\d+\.\d+|0\.0\.0\.0)$/.test(name)) return true;
  // ::1, ::, and the forms of 127.0.0.0/8 and 0.0.0.0 inside IPv6, such as ::ffff:7f00:1.
  return /^\[::(ffff:(0:)?)?(7f[0-9a-f]{2}:[0-9a-f]{1,4}|0(:0)?|1)?\]$/.test(name);
}
