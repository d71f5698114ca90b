import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { BrowserState, Hello } from '../../shared/bridge.ts';
import { NONCE_BYTES, serverText, type Handshake } from '../../shared/bridge-proof.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { Log } from '../log.ts';
import { createApiCalls } from './api-calls.ts';
import type { Browser, Browsers } from './browsers.ts';
import { systemClock, type Clock } from './clock.ts';
import { CLOSE, type CloseCode } from '../../shared/bridge-close.ts';
import { Connection, type Welcome } from './connection.ts';
import type { ForwardApi } from './forward-api.ts';
import { greet, handshakeOf, type Opening } from './greet.ts';
import type { Managers } from './managers.ts';
import type { Pairing, Pairings } from './pairings.ts';
import type { InProcessRouter } from './router.ts';
import { openSocket } from './open-socket.ts';
import type { ServerIdentity } from './server-identity.ts';
import { checkUpgrade, refuseUpgrade, type Refusal } from './upgrade.ts';

interface BridgeServerDeps {
  browsers: Browsers;
  pairings: Pairings;
  identity: ServerIdentity;
  router: InProcessRouter;
  managers: Managers;
  forwardApi: ForwardApi;
  log: Log;
  clock?: Clock;
  version: string;
  /** The port in use, known once the server listens. */
  port: () => number;
  ownPorts: () => readonly number[];
  nextId: () => number;
  /** Told whenever there may be other browsers that ask to be paired than before. */
  onPending: () => void;
}

const MAX_SOCKETS = 32;
/** So that those who only ask leave room for those who are paired. */
const MAX_STRANGERS = 16;
/** Only has to be more than the yes takes to arrive. */
const TICKET_ANSWER_MS = 60_000;

/** What a socket belongs to once its browser has said who it is. */
interface Member {
  connection: Connection;
  /** Known once it has said hello. */
  handshake: Handshake | null;
  browserId: string | null;
  pairingId: string | null;
  stopExpiry: () => void;
}

/** The sockets of all browsers: who may open one, who it belongs to, and when it ends. */
export class BridgeServer {
  readonly #deps: BridgeServerDeps;
  readonly #clock: Clock;
  readonly #members = new Set<Member>();
  readonly #open = new Set<WebSocket>();
  #isClosing = false;

  constructor(deps: BridgeServerDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
  }

  /** Answers a request to open a socket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const checked = checkUpgrade(request, this.#deps.port());
    const refusal = 'status' in checked ? checked : this.#noRoom();
    if (refusal !== null) refuseUpgrade(socket, refusal);
    else if ('origin' in checked) {
      openSocket(request, socket, head).then(
        (opened) => this.#admit(opened, checked.origin),
        (error: unknown) => this.#deps.log.error({ error }, 'a bridge socket could not be opened'),
      );
    }
  }

  /** Those that ask to be paired right now; one that has gone keeps its code for a while, in case it comes back. */
  pending(): Pairing[] {
    const here = new Set([...this.#members].map(({ pairingId }) => pairingId));
    return this.#deps.pairings.list().filter(({ id }) => here.has(id));
  }

  /** A person's yes. The browser hears of it over the socket it asked on, and what Forge proves itself by from now on. */
  accept(id: string): Browser {
    const { browsers, pairings } = this.#deps;
    const member = this.#find(({ pairingId }) => pairingId === id);
    if (member === undefined && pairings.has(id)) {
      throw new ForgeError('conflict', 'the browser that asked is not connected right now', {
        hint: 'Open the extension’s popup in that browser, and accept again.',
      });
    }
    const { origin, facts } = pairings.take(id);
    const browser = browsers.add(id, origin, facts);
    member?.stopExpiry();
    if (member !== undefined) this.#pair(member, browser, null);
    this.#deps.onPending();
    this.#deps.log.info({ browser: browser.id, name: browser.name }, 'a browser was paired');
    return browser;
  }

  /** Takes a key back, or says no to a pairing; either way the socket ends at once. */
  revoke(id: string): void {
    const { browsers, pairings, router, log } = this.#deps;
    if (pairings.has(id)) {
      pairings.take(id);
      this.#end(({ pairingId }) => pairingId === id, 'the pairing was refused');
      this.#deps.onPending();
      return;
    }
    const { name } = browsers.remove(id);
    router.forget(id);
    this.#end(({ browserId }) => browserId === id, 'the pairing was revoked');
    log.info({ browser: id, name }, 'a browser was revoked');
  }

  rename(id: string, name: string): Browser {
    const browser = this.#deps.browsers.rename(id, name);
    this.#deps.router.update(browser);
    return browser;
  }

  /** Takes no more sockets, lets calls under way end, and closes the rest. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#deps.router.close();
    const closed = [...this.#open].map((socket) => new Promise<void>((resolve) => socket.once('close', resolve)));
    for (const { connection } of [...this.#members]) connection.close(CLOSE.goingAway, 'Forge is stopping');
    await Promise.all(closed);
  }

  #noRoom(): Refusal | null {
    if (this.#isClosing) return { status: 503, why: 'Forge is stopping' };
    const strangers = [...this.#members].filter(({ connection }) => !connection.isReady).length;
    const isFull = this.#open.size >= MAX_SOCKETS || strangers >= MAX_STRANGERS;
    return isFull ? { status: 503, why: 'too many browsers are connected' } : null;
  }

  #admit(socket: WebSocket, origin: string): void {
    // Many may have come while the first was opened.
    if (this.#noRoom() !== null) {
      socket.terminate();
      return;
    }
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    const { router, log, nextId, port, managers, forwardApi } = this.#deps;
    const opening: Opening = { origin, port: port(), nonce: randomBytes(NONCE_BYTES).toString('base64url') };
    const apiCalls = createApiCalls({
      mayManage: () => member.browserId !== null && managers.has(member.browserId),
      forward: forwardApi,
      send: (text) => connection.send(text),
      log,
    });
    const connection: Connection = new Connection(socket, {
      clock: this.#clock,
      log,
      nextId,
      nonce: opening.nonce,
      handlers: {
        hello: (hello) => this.#hello(member, hello, opening),
        state: (state) => this.#changed(member, state),
        allowed: (allowed) => member.browserId !== null && router.allowed(member.browserId, allowed),
        asking: (asking) => member.browserId !== null && router.asking(member.browserId, asking),
        reply: (reply) => member.browserId !== null && router.reply(member.browserId, reply),
        garbled: (id, problem) => member.browserId !== null && router.garbled(member.browserId, id, problem),
        apiCall: (id, call) => apiCalls.start(id, call),
        apiCancel: apiCalls.cancel,
        closed: () => {
          apiCalls.end();
          this.#left(member);
        },
      },
    });
    const member: Member = {
      connection,
      handshake: null,
      browserId: null,
      pairingId: null,
      stopExpiry: () => undefined,
    };
    this.#members.add(member);
  }

  #hello(member: Member, hello: Hello, opening: Opening): Welcome {
    const { browsers, pairings, identity, log, version: server_version } = this.#deps;
    const handshake = handshakeOf(opening, hello);
    member.handshake = handshake;
    const greeting = greet(hello, handshake, { browsers, pairings, identity, log });
    if (greeting.kind === 'stranger') return this.#wait(member, greeting.pairing, greeting.dropped);
    const { browser } = greeting;
    if (greeting.kind === 'known') {
      const { name } = browser;
      const { proof } = greeting;
      return {
        answer: { state: 'ready', server_version, name, proof, own_ports: this.#ownPorts() },
        then: () => this.#join(member, browser, hello.running),
      };
    }
    // A pairing like any other, except that nobody has to compare a code: the yes follows at once.
    return {
      answer: { state: 'pairing', code: '', expires_in_ms: TICKET_ANSWER_MS },
      then: () => this.#pair(member, browser, greeting.ticketProof),
    };
  }

  #ownPorts(): number[] {
    return [...this.#deps.ownPorts()];
  }

  #pair(member: Member, browser: Browser, ticket_proof: string | null): void {
    const { identity, version: server_version } = this.#deps;
    if (member.handshake === null) return;
    const proof = identity.sign(serverText(member.handshake, 'paired'));
    const { name } = browser;
    const who = { name, server_version, server_key: identity.publicKey(), own_ports: this.#ownPorts() };
    member.connection.pair({ ...who, proof, ticket_proof });
    this.#join(member, browser);
  }

  #wait(member: Member, pairing: Pairing, dropped: readonly Pairing[]): Welcome {
    const { id, code } = pairing;
    for (const other of dropped)
      this.#end(({ pairingId }) => pairingId === other.id, 'others asked since', CLOSE.silent);
    this.#end(({ pairingId }) => pairingId === id, 'the same browser has asked again', CLOSE.replaced);
    member.pairingId = id;
    const expires_in_ms = pairing.expiresAt - this.#clock.now();
    member.stopExpiry = this.#clock.after(expires_in_ms, () =>
      member.connection.close(CLOSE.silent, 'nobody accepted in time'),
    );
    return { answer: { state: 'pairing', code, expires_in_ms }, then: () => this.#deps.onPending() };
  }

  /** From here on the socket carries calls; an older one of the same browser ends. */
  #join(member: Member, browser: Browser, running: readonly string[] = []): void {
    member.pairingId = null;
    const older = [...this.#members].filter(({ browserId }) => browserId === browser.id);
    member.browserId = browser.id;
    this.#deps.router.attach(browser, member.connection.send, running);
    for (const { connection } of older) connection.close(CLOSE.replaced, 'the same browser has connected again');
  }

  #changed({ browserId, pairingId }: Member, state: BrowserState): void {
    const { browsers, pairings, router } = this.#deps;
    if (pairingId !== null) pairings.changed(pairingId, state);
    if (browserId === null) return;
    browsers.changed(browserId, state);
    const browser = browsers.get(browserId);
    if (browser !== null) router.update(browser);
  }

  #left(member: Member): void {
    this.#members.delete(member);
    member.stopExpiry();
    if (member.pairingId !== null) this.#deps.onPending();
    if (member.browserId === null) return;
    const { router, browsers, log } = this.#deps;
    router.detach(member.browserId, member.connection.send);
    try {
      browsers.seen(member.browserId);
    } catch (error) {
      // The socket is gone either way; only the time in the list is older than it should be.
      log.error({ error }, 'when a browser was last seen could not be written down');
    }
  }

  #find(isMeant: (member: Member) => boolean): Member | undefined {
    return [...this.#members].find(isMeant);
  }

  #end(isMeant: (member: Member) => boolean, reason: string, code: CloseCode = CLOSE.unauthorized): void {
    this.#find(isMeant)?.connection.close(code, reason);
  }
}
