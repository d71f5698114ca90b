import type { Hello } from '../../shared/bridge.ts';
import { browserText, serverText, ticketText, type Handshake } from '../../shared/bridge-proof.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { Log } from '../log.ts';
import type { Browser, Browsers } from './browsers.ts';
import type { Pairing, Pairings } from './pairings.ts';
import { isMac, isSigned, macOf, type ServerIdentity } from './server-identity.ts';

/** Who a browser turns out to be: paired, paired just now by its ticket, or one that a person has to accept. */
export type Greeting =
  | { kind: 'known'; browser: Browser; proof: string }
  | { kind: 'ticket'; browser: Browser; ticketProof: string }
  | { kind: 'stranger'; pairing: Pairing; dropped: Pairing[] };

interface GreetDeps {
  browsers: Browsers;
  pairings: Pairings;
  identity: ServerIdentity;
  log: Log;
}

/** What the server knows of a socket before anything was said on it. */
export interface Opening {
  origin: string;
  port: number;
  nonce: string;
}

export function handshakeOf({ origin, port, nonce }: Opening, hello: Hello): Handshake {
  const { nonce: browserNonce, browser_id: browserId, public_key: publicKey } = hello;
  return { origin, port, serverNonce: nonce, browserNonce, browserId, publicKey };
}

/** Decides about a hello. Only the very extension and profile that was accepted can sign for itself. */
export function greet(hello: Hello, handshake: Handshake, { browsers, pairings, identity, log }: GreetDeps): Greeting {
  const refuse = (message: string): ForgeError =>
    new ForgeError('unauthorized', message, {
      hint: 'Press Connect in the extension’s popup to pair it again.',
      details: { proof: identity.sign(serverText(handshake, 'refused')) },
    });
  if (!isSigned(browserText(handshake), hello.signature, hello.public_key))
    throw refuse('the browser did not prove that its key is its own');
  const known = browsers.paired(handshake.origin, hello.browser_id);
  // One that has forgotten which Forge it was paired with could not tell this one from another, so a person is asked again.
  if (hello.paired && known?.publicKey === hello.public_key) {
    const browser = browsers.connected(known.browser.id, hello);
    return { kind: 'known', browser, proof: identity.sign(serverText(handshake, 'ready')) };
  }
  const ticket = hello.ticket_proof === null ? null : takeTicket(hello.ticket_proof, handshake, pairings);
  if (ticket !== null) {
    const browser = browsers.add(browsers.newId(), handshake.origin, hello);
    return { kind: 'ticket', browser, ticketProof: macOf(ticket, ticketText(handshake, 'server')) };
  }
  if (!hello.paired) return { kind: 'stranger', ...pairings.open(handshake.origin, hello) };
  if (known !== null) {
    const { id, name } = known.browser;
    log.warn({ browser: id, name, origin: handshake.origin }, 'somebody else called itself like a paired browser');
  }
  throw refuse('this browser is not paired with Forge, or its pairing was revoked');
}

function takeTicket(proof: string, handshake: Handshake, pairings: Pairings): string | null {
  return pairings.useTicket((ticket) => isMac(ticket, ticketText(handshake, 'browser'), proof));
}
