import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { WebSocket } from 'ws';
import {
  BRIDGE_PROTOCOL,
  errorFrame,
  notificationFrame,
  readFrame,
  requestFrame,
  resultFrame,
  type BrowserState,
  type Challenge,
  type Hello,
  type HelloAnswer,
  type Paired,
  type ParamsOf,
  type RequestMethod,
  type WireError,
} from '../../../shared/bridge.ts';
import type { Asking } from '../../../shared/bridge-approvals.ts';
import { splitFrames } from '../../../shared/bridge-join.ts';
import { browserText, ticketText, type Handshake } from '../../../shared/bridge-proof.ts';
import { macOf } from '../server-identity.ts';

export const CHROME_ORIGIN = `chrome-extension://${'abcdefghijklmnop'.repeat(2)}`;
export const FIREFOX_ORIGIN = 'moz-extension://0f0e0d0c-1b1a-4321-8765-0123456789ab';

/** The key of a browser; the same one when it comes again. */
export interface FakeKeys {
  privateKey: KeyObject;
  publicKey: string;
}

export function fakeKeys(): FakeKeys {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64url') };
}

export interface FakeOptions {
  origin?: string;
  headers?: Record<string, string>;
  keys?: FakeKeys;
  /** The one Forge has started it with. */
  ticket?: string;
  /** What it says, whatever would be right. */
  hello?: Partial<Hello>;
  /** What it signs, where that is not what it should. */
  signs?: Partial<Handshake>;
  /** False for one that never answers a ping. */
  answersPings?: boolean;
}

/** A request the server has sent, and how to answer it. */
export interface Asked<M extends RequestMethod = RequestMethod> {
  id: number;
  method: M;
  params: ParamsOf<M>;
  /** The body is the value's JSON text. */
  reply(result: unknown, body?: string | null): void;
  /** As `connector.run` is answered: with what the script returned. */
  returns(value: unknown, url?: string): void;
  fails(error: WireError): void;
}

/** A small WebSocket client that speaks the true protocol, for tests: it does what it is told, and remembers every frame. */
export class FakeExtension {
  /** Every frame received, and every message as it came. */
  readonly frames: string[] = [];
  readonly messages: string[] = [];
  /** Requests that no test has looked at yet. */
  readonly asked: Asked[] = [];
  readonly cancelled: string[] = [];
  /** What people have said elsewhere about calls it asks about. */
  readonly decided: { call_id: string; approved: boolean }[] = [];
  readonly browserId: string;
  readonly keys: FakeKeys;
  /** What the last hello was about. */
  handshake: Handshake | null = null;
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Whether it has the site open; `older` does not know the question, and `silent` never answers it. */
  hasTab: boolean | 'older' | 'silent' = 'older';
  /** What it was asked about tabs. */
  readonly tabsAsked: ParamsOf<'tab.has'>[] = [];
  /** Called for every request; without it they wait in `asked`. */
  onRequest: ((asked: Asked) => void) | null = null;
  readonly #socket: WebSocket;
  readonly #options: FakeOptions;
  readonly #answers = new Map<number, { resolve: (result: unknown) => void; reject: (error: unknown) => void }>();
  readonly #watchers = new Set<() => void>();
  #challenge: Challenge | null = null;
  #paired: Paired | null = null;
  #nextId = 1;

  private constructor(socket: WebSocket, options: FakeOptions) {
    this.#socket = socket;
    this.#options = options;
    this.browserId = options.hello?.browser_id ?? '0123456789abcdef';
    this.keys = options.keys ?? fakeKeys();
    this.closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => {
        resolve({ code, reason: reason.toString() });
        for (const { reject } of this.#answers.values()) reject(new Error(`closed with ${code} ${reason.toString()}`));
        this.#wake();
      }),
    );
    socket.on('error', () => undefined);
    socket.on('message', (data) => {
      const text = (data as Buffer).toString('utf8');
      this.messages.push(text);
      for (const frame of splitFrames(text) ?? []) this.#receive(frame);
    });
  }

  /** Opens a socket; rejects with the status when the server refuses it. */
  static connect(url: string, options: FakeOptions = {}): Promise<FakeExtension> {
    const headers = { Origin: options.origin ?? CHROME_ORIGIN, ...options.headers };
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/bridge`, { headers, perMessageDeflate: false });
    const extension = new FakeExtension(socket, options);
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(extension));
      socket.once('unexpected-response', (_request, response) => {
        reject(new Error(`refused with ${response.statusCode}`));
        response.destroy();
      });
      socket.once('error', reject);
    });
  }

  /** Says hello; rejects with the error the server answers. */
  async greet(): Promise<HelloAnswer> {
    const { nonce: serverNonce } = await this.#next(() => this.#challenge ?? undefined);
    return this.request('hello', this.#hello(serverNonce)) as Promise<HelloAnswer>; // what the server answers it with
  }

  #hello(serverNonce: string): Hello {
    const { origin = CHROME_ORIGIN, ticket, hello, signs } = this.#options;
    const { publicKey, privateKey } = this.keys;
    const browserNonce = randomBytes(32).toString('base64url');
    const port = Number(new URL(this.#socket.url).port);
    const handshake = { origin, port, serverNonce, browserNonce, browserId: this.browserId, publicKey, ...signs };
    this.handshake = handshake;
    const signature = sign('sha256', Buffer.from(browserText(handshake)), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    return {
      protocol: BRIDGE_PROTOCOL,
      nonce: browserNonce,
      public_key: publicKey,
      signature: signature.toString('base64url'),
      paired: false,
      ticket_proof: ticket === undefined ? null : macOf(ticket, ticketText(handshake, 'browser')),
      browser_id: this.browserId,
      browser: 'Chromium',
      profile: '',
      platform: 'Linux',
      extension_version: '1.0.0',
      user_scripts: true,
      paused: false,
      ...hello,
    };
  }

  request<M extends RequestMethod>(method: M, params: ParamsOf<M>): Promise<unknown> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, { resolve, reject });
      this.sendRaw(requestFrame(id, method, params));
    });
  }

  state(state: BrowserState): void {
    this.sendRaw(notificationFrame('state', state));
  }

  sendRaw(frame: string | Buffer): void {
    this.#socket.send(frame);
  }

  /** The next request that was not looked at. */
  nextAsked<M extends RequestMethod = 'connector.run'>(): Promise<Asked<M>> {
    return this.#next(() => this.asked.shift() as unknown as Asked<M> | undefined); // the test knows what it has called
  }

  paired(): Promise<Paired> {
    return this.#next(() => this.#paired ?? undefined);
  }

  nextCancelled(): Promise<string> {
    return this.#next(() => this.cancelled.shift());
  }

  /** Says that it asks a person about a call, or what they said. */
  asking(asking: Asking): void {
    this.sendRaw(notificationFrame('asking', asking));
  }

  nextDecided(): Promise<{ call_id: string; approved: boolean }> {
    return this.#next(() => this.decided.shift());
  }

  /** Resolves when the server has dealt with everything sent so far. */
  async settled(): Promise<void> {
    await this.request('ping', {});
  }

  close(): Promise<unknown> {
    this.#socket.close();
    return this.closed;
  }

  /** As a cable that is pulled: no goodbye. */
  cut(): Promise<unknown> {
    this.#socket.terminate();
    return this.closed;
  }

  async #next<T>(take: () => T | undefined): Promise<T> {
    for (;;) {
      const taken = take();
      if (taken !== undefined) return taken;
      if (this.#socket.readyState === WebSocket.CLOSED) throw new Error('the socket is closed');
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  #wake(): void {
    const waiting = [...this.#watchers];
    this.#watchers.clear();
    for (const resolve of waiting) resolve();
  }

  #receive(text: string): void {
    this.frames.push(text);
    const frame = readFrame(text);
    switch (frame.kind) {
      case 'bad':
        throw new Error(`the server sent a frame that makes no sense: ${frame.problem}`);
      case 'result':
        this.#answers.get(frame.id)?.resolve(frame.result);
        break;
      case 'error':
        this.#answers.get(frame.id)?.reject(frame.error);
        break;
      case 'request':
        this.#asked(frame.id, frame.method, frame.params);
        break;
      case 'notification':
        if (frame.method === 'challenge') this.#challenge = frame.params as Challenge; // checked by readFrame
        if (frame.method === 'paired') this.#paired = frame.params as Paired; // checked by readFrame
        if (frame.method === 'connector.cancel') this.cancelled.push((frame.params as { call_id: string }).call_id);
        if (frame.method === 'connector.decide')
          this.decided.push(frame.params as { call_id: string; approved: boolean }); // checked by readFrame
    }
    this.#wake();
  }

  #asked(id: number, method: RequestMethod, params: unknown): void {
    if (method === 'ping') {
      if (this.#options.answersPings !== false) this.sendRaw(resultFrame(id, {}));
      return;
    }
    if (method === 'tab.has') {
      this.tabsAsked.push(params as ParamsOf<'tab.has'>); // checked by readFrame
      const unknown = { code: 'bridge_protocol', message: 'The frame is wrong: there is no method tab.has.' };
      if (this.hasTab === 'older') this.sendRaw(errorFrame(id, unknown));
      else if (this.hasTab !== 'silent') this.sendRaw(resultFrame(id, { has: this.hasTab }));
      return;
    }
    const reply = (result: unknown, body: string | null = null) => this.sendRaw(resultFrame(id, result, body));
    const asked: Asked = {
      id,
      method,
      params: params as Asked['params'], // checked by readFrame
      reply,
      returns: (value, url = 'https://demo.test/') =>
        reply({ url, timings: { acquire: 1, run: 2 } }, JSON.stringify(value)),
      fails: (error) => this.sendRaw(errorFrame(id, error)),
    };
    if (this.onRequest === null) this.asked.push(asked);
    else this.onRequest(asked);
  }
}
