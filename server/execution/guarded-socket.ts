import type { WebSocket } from 'ws';
import { ForgeError } from '../../shared/errors.ts';
import { refuseHost } from '../runners/http/address-rules.ts';
import { parseUrl } from '../../shared/parse-url.ts';

/** Opens a WebSocket to an address a person has named; it is checked as those of http tools are. */
export type OpenSocket = (address: string) => Promise<WebSocket>;

const HANDSHAKE_MS = 5000;
const MAX_FRAME_BYTES = 32 * 1024 * 1024;

export function createOpenSocket(ownPorts: () => readonly number[]): OpenSocket {
  return async (address) => {
    const url = webUrl(address);
    const rules = { hostFrom: 'person' as const, ownPorts };
    const refusal = refuseHost(url, rules);
    if (refusal !== null) throw refusal;
    const [{ WebSocket }, { guardedLookup, systemLookup }] = await Promise.all([
      import('ws'),
      import('../runners/http/guarded-lookup.ts'),
    ]);
    return new WebSocket(address, {
      lookup: guardedLookup(url, { ...rules, lookup: systemLookup }),
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
    });
  };
}

/** The same place as an http address, which the rules know about. */
function webUrl(address: string): URL {
  const url = /^wss?:\/\//.test(address) ? parseUrl(address.replace(/^ws/, 'http')) : null;
  if (url === null) throw new ForgeError('invalid_config', 'the address of a gateway must begin with ws:// or wss://');
  return url;
}
