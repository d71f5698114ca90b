import {
  BRIDGE_PATH,
  HelloResult,
  MAX_FRAME_BYTES,
  PING_EVERY_MS,
  errorFrame,
  notificationFrame,
  problemWith,
  readFrame,
  requestFrame,
  resultFrame,
} from '../../shared/bridge.ts';
import type { BrowserState, Frame, Hello, HelloAnswer, NotificationMethod, Paired } from '../../shared/bridge.ts';
import type { Clock } from '../clock.ts';
import { createBackoff } from './backoff.ts';
import { reasonToStop, type LinkState, type OffReason } from './link-state.ts';
import { createOutbox } from './outbox.ts';
import { toWireError } from './wire-error.ts';

/** A WebSocket, as far as it is used. */
export interface Socket {
  isOpen: () => boolean;
  send: (text: string) => void;
  close: () => void;
}

export interface SocketHandlers {
  onOpen: () => void;
  onMessage: (data: unknown) => void;
  onClose: (code: number) => void;
}

export interface Reply {
  result: unknown;
  body: string | null;
}

type RequestFrame = Extract<Frame, { kind: 'request' }>;

export interface LinkDeps {
  openSocket: (url: string, handlers: SocketHandlers) => Socket;
  clock: Clock;
  random?: () => number;
  address: () => string;
  key: () => string | null;
  /** Everything in the first frame that does not belong to the connection itself. */
  hello: () => Omit<Hello, 'key' | 'ticket'>;
  onPaired: (paired: Paired) => void;
  /** The key is no longer good, or a person said no. */
  onRefused: () => void;
  onRequest: (frame: RequestFrame) => Promise<Reply>;
  onNotification: (method: NotificationMethod, params: unknown) => void;
  onState: (state: LinkState) => void;
}

/** How long the server may take to answer the first frame, or a ping. */
const ANSWER_MS = 10_000;

/** The socket to the server: says hello, reconnects, answers what it is asked, and keeps answers while there is no socket. */
export class Link {
  readonly #deps: LinkDeps;
  readonly #backoff: ReturnType<typeof createBackoff>;
  readonly #outbox: ReturnType<typeof createOutbox>;
  #state: LinkState = { kind: 'connecting', failures: 0 };
  #socket: Socket | null = null;
  #ticket: string | null = null;
  #failures = 0;
  #nextId = 1;
  #helloId = -1;
  #cancelTimers: (() => void)[] = [];

  constructor(deps: LinkDeps) {
    this.#deps = deps;
    this.#backoff = createBackoff(deps.random);
    this.#outbox = createOutbox(deps.clock);
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Connects at once unless there is a socket already, or the person has to act first. */
  connectNow(): void {
    if (this.#state.kind !== 'off' && this.#socket === null) this.#open();
  }

  /** The person wants a connection: starts over, with the ticket of a browser that Forge has started. */
  restart(ticket: string | null = null): void {
    this.#ticket = ticket;
    this.#backoff.reset();
    this.#failures = 0;
    this.#open();
  }

  /** Waits for the person, as after a refusal; used at start when the last word was a no. */
  rest(reason: OffReason): void {
    this.#drop();
    this.#setState({ kind: 'off', reason });
  }

  /** Tells the server what has changed in this browser. */
  tell(browser: BrowserState): void {
    if (this.#state.kind === 'ready') this.#socket?.send(notificationFrame('state', browser));
  }

  #setState(next: LinkState): void {
    this.#state = next;
    this.#deps.onState(next);
  }

  #later(ms: number, run: () => void): void {
    this.#cancelTimers.push(this.#deps.clock.after(ms, run));
  }

  #clearTimers(): void {
    for (const cancel of this.#cancelTimers) cancel();
    this.#cancelTimers = [];
  }

  /** Lets go of the present socket without hearing from it again. */
  #drop(): void {
    this.#clearTimers();
    const old = this.#socket;
    this.#socket = null;
    old?.close();
  }

  #stop(reason: OffReason): void {
    if (reason === 'refused') this.#deps.onRefused();
    this.rest(reason);
  }

  #retry(): void {
    this.#drop();
    this.#failures += 1;
    this.#setState({ kind: 'connecting', failures: this.#failures });
    this.#later(this.#backoff.next(), () => this.#open());
  }

  #open(): void {
    this.#drop();
    if (this.#state.kind !== 'connecting') this.#setState({ kind: 'connecting', failures: this.#failures });
    this.#later(ANSWER_MS, () => this.#retry());
    const { key, hello, address, openSocket } = this.#deps;
    const opened: Socket = openSocket(`ws://${address()}${BRIDGE_PATH}`, {
      onOpen: () => {
        if (this.#socket !== opened) return;
        this.#helloId = this.#nextId++;
        opened.send(requestFrame(this.#helloId, 'hello', { ...hello(), key: key(), ticket: this.#ticket }));
      },
      onMessage: (data) => {
        if (this.#socket === opened) this.#receive(data);
      },
      onClose: (code) => {
        if (this.#socket !== opened) return;
        this.#socket = null;
        const reason = reasonToStop(code, this.#state.kind === 'pairing');
        if (reason === null) this.#retry();
        else this.#stop(reason);
      },
    });
    this.#socket = opened;
  }

  /** A server that has gone without a word is found by its silence. */
  #watchForSilence(): void {
    this.#clearTimers();
    this.#later(PING_EVERY_MS, () => {
      this.#socket?.send(requestFrame(this.#nextId++, 'ping', {}));
      this.#later(ANSWER_MS, () => this.#retry());
    });
  }

  #receive(data: unknown): void {
    if (typeof data !== 'string' || data.length > MAX_FRAME_BYTES) return;
    if (this.#state.kind !== 'connecting') this.#watchForSilence();
    const frame = readFrame(data);
    switch (frame.kind) {
      case 'request':
        this.#serve(frame);
        return;
      case 'notification':
        if (frame.method === 'paired')
          this.#takePaired(frame.params as Paired); // readFrame has checked it
        else if (this.#state.kind === 'ready') this.#deps.onNotification(frame.method, frame.params);
        return;
      case 'result':
        // A reply to a ping has done its work by arriving, and one to nothing is nobody's.
        if (frame.id === this.#helloId && this.#state.kind === 'connecting') this.#takeHello(frame.result);
        return;
      case 'error':
        if (frame.id !== this.#helloId) return;
        if (frame.error.code === 'bridge_protocol') this.#stop('outdated');
        else if (frame.error.code === 'unauthorized') this.#stop('refused');
        return;
      case 'bad': {
        const error = { code: 'bridge_protocol', message: `The frame is wrong: ${frame.problem}.` };
        if (frame.id !== null) this.#socket?.send(errorFrame(frame.id, error));
      }
    }
  }

  #takeHello(result: unknown): void {
    if (problemWith(HelloResult, result) !== null) {
      this.#stop('outdated');
      return;
    }
    const answer = result as HelloAnswer; // checked on the line above
    this.#watchForSilence();
    if (answer.state === 'ready') this.#becomeReady(answer.name, answer.server_version);
    else {
      const expiresAt = this.#deps.clock.now() + answer.expires_in_ms;
      this.#setState({ kind: 'pairing', code: answer.code, expiresAt });
    }
  }

  #takePaired(paired: Paired): void {
    if (this.#state.kind === 'ready') return;
    this.#deps.onPaired(paired);
    this.#watchForSilence();
    this.#becomeReady(paired.name, paired.server_version);
  }

  #becomeReady(name: string, serverVersion: string): void {
    this.#backoff.reset();
    this.#failures = 0;
    this.#ticket = null;
    this.#setState({ kind: 'ready', name, serverVersion });
    for (const frame of this.#outbox.take()) this.#socket?.send(frame);
  }

  #serve(frame: RequestFrame): void {
    if (frame.method === 'ping') {
      this.#socket?.send(resultFrame(frame.id, {}));
    } else if (this.#state.kind !== 'ready') {
      const error = { code: 'unauthorized', message: 'This browser is not paired yet.' };
      this.#socket?.send(errorFrame(frame.id, error));
    } else {
      this.#deps.onRequest(frame).then(
        ({ result, body }) => this.#answer(resultFrame(frame.id, result, body)),
        (error: unknown) => this.#answer(errorFrame(frame.id, toWireError(error))),
      );
    }
  }

  /** An answer goes out now, or with the next socket if that comes soon. */
  #answer(frame: string): void {
    if (this.#socket?.isOpen() === true && this.#state.kind === 'ready') this.#socket.send(frame);
    else this.#outbox.keep(frame);
  }
}
