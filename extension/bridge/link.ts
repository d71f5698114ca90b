import {
  BRIDGE_PATH,
  BRIDGE_PROTOCOL,
  HelloResult,
  MAX_FRAME_BYTES,
  PING_EVERY_MS,
  RefusalDetails,
  errorFrame,
  notificationFrame,
  readFrame,
  requestFrame,
  resultFrame,
} from '../../shared/bridge.ts';
import { problemWith } from '../../shared/shape-problem.ts';
import type {
  BrowserState,
  Challenge,
  Frame,
  HelloAnswer,
  NotificationMethod,
  Paired,
  WireError,
} from '../../shared/bridge.ts';
import type { Said } from '../../shared/bridge-approvals.ts';
import { joinFrames } from '../../shared/bridge-join.ts';
import type { Clock } from '../clock.ts';
import { createAnswers } from './answers.ts';
import { createBackoff } from './backoff.ts';
import type { Greeting } from './handshake.ts';
import { isPassing, reasonToStop, type LinkState, type OffReason } from './link-state.ts';
import { createOutbox } from './outbox.ts';
import type { Socket, SocketHandlers } from './socket.ts';
import { toWireError } from './wire-error.ts';

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
  /** Whether there is a Forge that this browser knows. */
  isPaired: () => boolean;
  /** Says who this browser is, with the ticket it was started with, if any. */
  answerChallenge: (challenge: Challenge, ticket: string | null) => Promise<Greeting>;
  onPaired: (paired: Paired) => void;
  /** The pairing is no longer good, or a person said no. */
  onRefused: () => void;
  onRequest: (frame: RequestFrame) => Promise<Reply>;
  onNotification: (method: NotificationMethod, params: unknown) => void;
  onState: (state: LinkState) => void;
  /** Something failed that has no one to tell; the link tries again. */
  onProblem: (error: unknown) => void;
}

/** How long the server may take to answer the first frame, or a ping. */
const ANSWER_MS = 10_000;
/** Something else is in Forge's place, or another version of it; the right one may be back any time. */
const LOOK_MS = 15_000;

/** The socket to the server: says hello, reconnects, answers what it is asked, and keeps answers while there is no socket. */
export class Link {
  readonly #deps: LinkDeps;
  readonly #backoff: ReturnType<typeof createBackoff>;
  readonly #outbox: ReturnType<typeof createOutbox>;
  readonly #answers: ReturnType<typeof createAnswers>;
  #state: LinkState = { kind: 'connecting', failures: 0 };
  #socket: Socket | null = null;
  #ticket: string | null = null;
  #failures = 0;
  #nextId = 1;
  /** Whether the server takes several frames in one message. */
  #takesJoined = false;
  /** What was said on the present socket, and whether it was answered. */
  #greeting: { id: number; greeting: Greeting; isAnswered: boolean } | null = null;
  /** Events that wait until a proof is made or checked, so that all are dealt with in order; null when nothing does. */
  #waiting: (() => void)[] | null = null;
  #cancelTimers: (() => void)[] = [];

  constructor(deps: LinkDeps) {
    this.#deps = deps;
    this.#backoff = createBackoff(deps.random);
    this.#outbox = createOutbox(deps.clock);
    this.#answers = createAnswers({ clock: deps.clock, deliver: (frames) => this.#deliver(frames) });
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
    this.#setState({ kind: 'connecting', failures: 0 });
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

  /** Tells the server what a person says about a call; it has to hear it while that call is under way. */
  say(...[method, params]: Said): void {
    if (this.#state.kind === 'ready') this.#socket?.send(notificationFrame(method, params));
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
    this.#greeting = null;
    this.#waiting = null;
    old?.close();
  }

  #stop(reason: OffReason): void {
    if (reason === 'refused') this.#deps.onRefused();
    this.rest(reason);
    if (isPassing(reason)) this.#later(LOOK_MS, () => this.#open());
  }

  #retry(): void {
    this.#drop();
    this.#failures += 1;
    this.#setState({ kind: 'connecting', failures: this.#failures });
    this.#later(this.#backoff.next(), () => this.#open());
  }

  #open(): void {
    this.#drop();
    // Who looks whether the right one is back has nothing new to tell yet.
    if (this.#state.kind !== 'connecting' && this.#state.kind !== 'off')
      this.#setState({ kind: 'connecting', failures: this.#failures });
    this.#later(ANSWER_MS, () => this.#retry());
    const { address, openSocket } = this.#deps;
    const opened: Socket = openSocket(`ws://${address()}${BRIDGE_PATH}`, {
      onMessage: (data) => this.#inOrder(opened, () => this.#receive(data)),
      onClose: (code) => this.#inOrder(opened, () => this.#closed(code)),
    });
    this.#socket = opened;
  }

  #inOrder(socket: Socket, run: () => void): void {
    if (this.#socket !== socket) return;
    if (this.#waiting === null) run();
    else this.#waiting.push(run);
  }

  /** Does something that takes a moment; what comes in on the socket meanwhile waits. */
  #hold<T>(work: Promise<T>, then: (value: T) => void): void {
    const socket = this.#socket;
    const waiting: (() => void)[] = [];
    this.#waiting = waiting;
    work
      .then((value) => {
        if (this.#socket !== socket) return;
        this.#waiting = null;
        then(value);
        for (const run of waiting) if (socket !== null) this.#inOrder(socket, run);
      })
      .catch((error: unknown) => {
        this.#deps.onProblem(error);
        if (this.#socket === socket) this.#retry();
      });
  }

  #closed(code: number): void {
    this.#socket = null;
    const { kind } = this.#state;
    const phase = kind === 'pairing' ? 'pairing' : this.#greeting === null ? 'new' : 'greeted';
    const reason = reasonToStop(code, phase);
    // Only Forge itself can end what this browser has with it.
    const isSuspect = kind !== 'ready' && this.#deps.isPaired() && (reason === 'refused' || reason === 'replaced');
    if (reason === null) this.#retry();
    else this.#stop(isSuspect ? 'impostor' : reason);
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
    if (this.#greeting?.isAnswered === true) this.#watchForSilence();
    const frame = readFrame(data);
    switch (frame.kind) {
      case 'request':
        this.#serve(frame);
        return;
      case 'notification':
        // readFrame has checked the params of each.
        if (frame.method === 'challenge') this.#takeChallenge(frame.params as Challenge);
        else if (frame.method === 'paired') this.#takePaired(frame.params as Paired);
        else if (this.#state.kind === 'ready') this.#deps.onNotification(frame.method, frame.params);
        return;
      case 'result':
        // A reply to a ping has done its work by arriving, and one to nothing is nobody's.
        if (this.#isHello(frame.id)) this.#takeHello(frame.result);
        return;
      case 'error':
        if (this.#isHello(frame.id)) this.#takeRefusal(frame.error);
        return;
      case 'bad': {
        const error = { code: 'bridge_protocol', message: `The frame is wrong: ${frame.problem}.` };
        if (frame.id !== null) this.#socket?.send(errorFrame(frame.id, error));
      }
    }
  }

  #isHello(id: number): boolean {
    return this.#greeting?.id === id && !this.#greeting.isAnswered;
  }

  #takeChallenge(challenge: Challenge): void {
    if (this.#greeting !== null) return;
    if (challenge.protocol !== BRIDGE_PROTOCOL) {
      this.#stop('outdated');
      return;
    }
    this.#takesJoined = challenge.takes_joined === true;
    this.#hold(this.#deps.answerChallenge(challenge, this.#ticket), (greeting) => {
      const id = this.#nextId++;
      this.#greeting = { id, greeting, isAnswered: false };
      this.#socket?.send(requestFrame(id, 'hello', greeting.hello));
    });
  }

  #takeHello(result: unknown): void {
    if (this.#greeting === null) return;
    if (problemWith(HelloResult, result) !== null) {
      this.#stop('outdated');
      return;
    }
    const answer = result as HelloAnswer; // checked on the line above
    const { greeting } = this.#greeting;
    this.#greeting.isAnswered = true;
    if (answer.state === 'ready') {
      this.#hold(greeting.isProven('ready', answer.proof), (isProven) => {
        if (isProven) this.#becomeReady(answer);
        else this.#stop('impostor');
      });
    } else if (this.#deps.isPaired() && !isTicketAnswer(answer)) {
      // Forge would know this browser; a new one proves itself by the ticket.
      this.#stop('impostor');
    } else {
      this.#watchForSilence();
      const expiresAt = this.#deps.clock.now() + answer.expires_in_ms;
      this.#setState({ kind: 'pairing', code: answer.code, expiresAt });
    }
  }

  #takeRefusal({ code, details }: WireError): void {
    if (code === 'bridge_protocol') this.#stop('outdated');
    if (code !== 'unauthorized' || this.#greeting === null) return;
    const { greeting } = this.#greeting;
    const proof = problemWith(RefusalDetails, details) === null ? (details as { proof: string }).proof : null; // checked here
    this.#hold(greeting.isProven('refused', proof), (isProven) =>
      this.#stop(isProven || !this.#deps.isPaired() ? 'refused' : 'impostor'),
    );
  }

  #takePaired(paired: Paired): void {
    if (this.#state.kind !== 'pairing' || this.#greeting === null) return;
    const isByTicket = isTicketAnswer(this.#state);
    this.#hold(this.#greeting.greeting.isGoodPairing(paired, isByTicket), (isGood) => {
      if (!isGood) {
        this.#stop('impostor');
        return;
      }
      this.#deps.onPaired(paired);
      this.#becomeReady(paired);
    });
  }

  #becomeReady({ name, server_version, own_ports = [] }: Pick<Paired, 'name' | 'server_version' | 'own_ports'>): void {
    this.#watchForSilence();
    this.#backoff.reset();
    this.#failures = 0;
    this.#ticket = null;
    this.#setState({ kind: 'ready', name, serverVersion: server_version, ownPorts: own_ports });
    for (const frame of this.#outbox.take()) this.#socket?.send(frame);
  }

  #serve(frame: RequestFrame): void {
    if (frame.method === 'ping') {
      this.#socket?.send(resultFrame(frame.id, {}));
    } else if (this.#state.kind !== 'ready') {
      const error = { code: 'unauthorized', message: 'This browser is not paired yet.' };
      this.#socket?.send(errorFrame(frame.id, error));
    } else {
      this.#answers.began();
      this.#deps.onRequest(frame).then(
        ({ result, body }) => this.#answers.add(resultFrame(frame.id, result, body), this.#takesJoined),
        (error: unknown) => this.#answers.add(errorFrame(frame.id, toWireError(error)), this.#takesJoined),
      );
    }
  }

  /** Answers go out now, or with the next socket if that comes soon. */
  #deliver(frames: string[]): void {
    const socket = this.#socket;
    if (socket?.isOpen() !== true || this.#state.kind !== 'ready') for (const frame of frames) this.#outbox.keep(frame);
    else if (this.#takesJoined) socket.send(joinFrames(frames));
    else for (const frame of frames) socket.send(frame);
  }
}

/** Only who knows the ticket needs no code for a person to compare. */
function isTicketAnswer({ code }: { code: string }): boolean {
  return code === '';
}
