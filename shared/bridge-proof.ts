/** One opening of a socket, as both sides know it. Each side adds a nonce, so that nothing signed for it can be used again. */
export interface Handshake {
  /** The extension's. */
  readonly origin: string;
  /** The one the browser has dialled: what a program on another port hears is of no use to the server. */
  readonly port: number;
  readonly serverNonce: string;
  readonly browserNonce: string;
  readonly browserId: string;
  /** The browser's, as it travels. */
  readonly publicKey: string;
}

/** What the server says about a browser; it signs which of them it was. */
export type Verdict = 'ready' | 'refused' | 'paired';

/** Bytes of a nonce, and of a ticket. */
export const NONCE_BYTES = 32;

const PREFIX = 'forge-bridge/2';

/** What a browser signs to say who it is. */
export function browserText(handshake: Handshake): string {
  return lines('browser', handshake);
}

/** What the server signs in return. */
export function serverText(handshake: Handshake, verdict: Verdict): string {
  return lines(`server ${verdict}`, handshake);
}

/** What either side puts under a ticket (HMAC with SHA-256), so that the ticket itself is never sent. */
export function ticketText(handshake: Handshake, side: 'browser' | 'server'): string {
  return lines(`ticket ${side}`, handshake);
}

/** None of the parts can hold a line break, so no two handshakes have the same text. */
function lines(what: string, { origin, port, serverNonce, browserNonce, browserId, publicKey }: Handshake): string {
  return [`${PREFIX} ${what}`, origin, String(port), serverNonce, browserNonce, browserId, publicKey].join('\n');
}
