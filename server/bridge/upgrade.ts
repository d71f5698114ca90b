import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { BRIDGE_PATH } from '../../shared/bridge.ts';

const HOST_NAMES = ['127.0.0.1', 'localhost'];
/** An extension's id is fixed by its key in Chromium, and made up for each profile in Firefox. A web page has neither. */
const EXTENSION_ORIGIN =
  /^(?:chrome-extension:\/\/[a-p]{32}|moz-extension:\/\/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;

export type Refusal = { status: 400 | 403 | 404 | 503; why: string };

/** Looks at a request to open a socket before anything is answered: the address, the exact Host, and an extension's Origin. */
export function checkUpgrade({ url, headers }: IncomingMessage, port: number): { origin: string } | Refusal {
  if (url !== BRIDGE_PATH) return { status: 404, why: 'there is no socket at this address' };
  if (headers.upgrade?.toLowerCase() !== 'websocket') return { status: 400, why: 'only WebSocket is spoken here' };
  const host = headers.host?.toLowerCase() ?? '';
  if (!HOST_NAMES.some((name) => host === `${name}:${port}`)) return { status: 403, why: 'not a name of this server' };
  const origin = headers.origin ?? '';
  if (!EXTENSION_ORIGIN.test(origin)) return { status: 403, why: 'only browser extensions may connect' };
  return { origin };
}

/** Answers a request that gets no socket. */
export function refuseUpgrade(socket: Duplex, { status, why }: Refusal): void {
  const body = `${why}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Connection: close',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
