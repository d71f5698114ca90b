import { BRIDGE_PROTOCOL, type Challenge, type Hello, type Paired } from '../../shared/bridge.ts';
import {
  NONCE_BYTES,
  browserText,
  serverText,
  ticketText,
  type Handshake,
  type Verdict,
} from '../../shared/bridge-proof.ts';
import { isSigned, macOf, randomText, type Identity } from './identity.ts';

/** What a browser says of itself, beside what proves it. */
type Facts = Omit<
  Hello,
  'protocol' | 'takes_joined' | 'nonce' | 'public_key' | 'signature' | 'paired' | 'ticket_proof'
>;

interface Side {
  /** The extension's own. */
  origin: string;
  /** The one that was dialled. */
  port: number;
  facts: Facts;
  identity: Identity;
  /** The key of the Forge this browser is paired with. */
  serverKey: string | null;
  ticket: string | null;
}

/** An answered challenge: the hello that goes out, and the judge of what comes back. */
export interface Greeting {
  readonly hello: Hello;
  /** Whether the Forge this browser is paired with has said it. */
  isProven: (verdict: Verdict, proof: unknown) => Promise<boolean>;
  /** Whether a new Forge has the key it shows and, where no person compares a code, knows the ticket. */
  isGoodPairing: (paired: Paired, isByTicket: boolean) => Promise<boolean>;
}

/** Answers a challenge. Whoever asked learns nothing that helps to be this browser, or to be Forge, on another socket. */
export async function answerChallenge({ nonce: serverNonce }: Challenge, side: Side): Promise<Greeting> {
  const { origin, port, facts, identity, serverKey, ticket } = side;
  const browserNonce = randomText(NONCE_BYTES);
  const { browser_id: browserId } = facts;
  const handshake: Handshake = {
    ...{ origin, port, serverNonce, browserNonce, browserId },
    publicKey: identity.publicKey,
  };
  const hello: Hello = {
    ...facts,
    protocol: BRIDGE_PROTOCOL,
    takes_joined: true,
    nonce: browserNonce,
    public_key: identity.publicKey,
    signature: await identity.sign(browserText(handshake)),
    paired: serverKey !== null,
    ticket_proof: ticket === null ? null : await macOf(ticket, ticketText(handshake, 'browser')),
  };
  return {
    hello,
    isProven: async (verdict, proof) =>
      serverKey !== null &&
      typeof proof === 'string' &&
      (await isSigned(serverText(handshake, verdict), proof, serverKey)),
    isGoodPairing: async ({ server_key, proof, ticket_proof }, isByTicket) => {
      const known = ticket === null ? null : await macOf(ticket, ticketText(handshake, 'server'));
      if (isByTicket && (known === null || ticket_proof !== known)) return false;
      return isSigned(serverText(handshake, 'paired'), proof, server_key);
    },
  };
}
