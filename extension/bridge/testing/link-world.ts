import { expect } from 'vitest';
import {
  BRIDGE_PROTOCOL,
  errorFrame,
  notificationFrame,
  readFrame,
  resultFrame,
  type Hello,
} from '../../../shared/bridge.ts';
import { serverText, type Handshake, type Verdict } from '../../../shared/bridge-proof.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { answerChallenge } from '../handshake.ts';
import { loadIdentity } from '../identity.ts';
import type { LinkState } from '../link-state.ts';
import { Link, type LinkDeps } from '../link.ts';
import type { SocketHandlers } from '../socket.ts';

interface FakeSocket extends SocketHandlers {
  url: string;
  sent: string[];
  isOpen: boolean;
  isClosed: boolean;
}

const ORIGIN = `chrome-extension://${'a'.repeat(32)}`;
export const NONCE = 'N'.repeat(43);
const FACTS = {
  browser_id: 'a'.repeat(32),
  browser: 'Chrome 156',
  profile: '',
  platform: 'linux',
  extension_version: '1.0.0',
  user_scripts: true,
  paused: false,
};

/** A key that is not kept. */
const someone = () => loadIdentity({ get: () => Promise.resolve(null), put: () => Promise.resolve() });
/** The browser itself. */
const own = await someone();
/** The Forge it is paired with, and somebody else. */
export const [forge, other] = await Promise.all([someone(), someone()]);

/** What a hello was signed for. */
export function handshakeOf({ nonce, browser_id, public_key }: Hello): Handshake {
  const port = 8403;
  return {
    origin: ORIGIN,
    port,
    serverNonce: NONCE,
    browserNonce: nonce,
    browserId: browser_id,
    publicKey: public_key,
  };
}

/** A link whose sockets are in the test's hands; the proofs are true ones. */
export function linkWorld(changes: Partial<LinkDeps> = {}, { paired = true } = {}) {
  const clock = manualClock();
  const sockets: FakeSocket[] = [];
  const states: LinkState[] = [];
  const events: unknown[] = [];
  let serverKey: string | null = paired ? forge.publicKey : null;
  const link = new Link({
    clock,
    random: () => 0.5,
    address: () => '127.0.0.1:8403',
    isPaired: () => serverKey !== null,
    answerChallenge: (challenge, ticket) =>
      answerChallenge(challenge, { origin: ORIGIN, port: 8403, facts: FACTS, identity: own, serverKey, ticket }),
    openSocket(url, handlers) {
      const socket: FakeSocket = { ...handlers, url, sent: [], isOpen: true, isClosed: false };
      sockets.push(socket);
      return {
        isOpen: () => socket.isOpen,
        send: (text) => socket.sent.push(text),
        close: () => {
          socket.isClosed = true;
        },
      };
    },
    onPaired: (answer) => {
      serverKey = answer.server_key;
      events.push(answer);
    },
    onRefused: () => {
      serverKey = null;
      events.push('refused');
    },
    onRequest: () => Promise.resolve({ result: { url: 'u' }, body: '[1]' }),
    onNotification: (method, params) => events.push([method, params]),
    onState: (state) => states.push(state),
    onProblem: (error) => {
      throw error;
    },
    ...changes,
  });
  const last = (): FakeSocket => sockets.at(-1)!;
  const say = (text: string): void => last().onMessage(text);
  const lastSent = () => readFrame(last().sent.at(-1) ?? '');
  const hello = (): { id: number; params: Hello } => {
    const frame = readFrame(last().sent[0] ?? '');
    if (frame.kind !== 'request' || frame.method !== 'hello') throw new Error('the first frame is no hello');
    return { id: frame.id, params: frame.params as Hello };
  };
  const helloId = (): number => hello().id;
  /** The server opens with a challenge, and the hello follows. */
  const greet = async (takesJoined?: boolean): Promise<void> => {
    const joined = takesJoined === undefined ? {} : { takes_joined: takesJoined };
    say(notificationFrame('challenge', { protocol: BRIDGE_PROTOCOL, nonce: NONCE, ...joined }));
    await expect.poll(() => last().sent.length, { interval: 1 }).toBe(1);
  };
  const proof = (verdict: Verdict, by = forge) => by.sign(serverText(handshakeOf(hello().params), verdict));
  const until = (kind: LinkState['kind']) => expect.poll(() => link.state.kind, { interval: 1 }).toBe(kind);
  const ready = async (by = forge): Promise<void> =>
    say(resultFrame(helloId(), { state: 'ready', server_version: '1', name: 'Mine', proof: await proof('ready', by) }));
  const refuse = async (by = forge): Promise<void> =>
    say(errorFrame(helloId(), { code: 'unauthorized', message: 'no', details: { proof: await proof('refused', by) } }));
  const connect = async (takesJoined?: boolean): Promise<void> => {
    link.connectNow();
    await greet(takesJoined);
    await ready();
    await until('ready');
  };
  const tools = { link, clock, sockets, states, events, last, say, lastSent };
  return { ...tools, hello, helloId, greet, proof, until, ready, refuse, connect };
}
