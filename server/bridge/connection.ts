import type { RawData, WebSocket } from 'ws';
import {
  BRIDGE_PROTOCOL,
  errorFrame,
  notificationFrame,
  PING_EVERY_MS,
  readFrame,
  requestFrame,
  resultFrame,
  type BrowserState,
  type Frame,
  type Hello,
  type HelloAnswer,
  type Paired,
} from '../../shared/bridge.ts';
import type { Allowed, Asking } from '../../shared/bridge-approvals.ts';
import { HeldFrames, joinFrames, splitFrames } from '../../shared/bridge-join.ts';
import type { ApiCall, ApiCancel } from '../../shared/bridge-api.ts';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import type { Log } from '../log.ts';
import type { Clock } from './clock.ts';
import { CLOSE, type CloseCode } from '../../shared/bridge-close.ts';
import { closeReason } from './close-reason.ts';

/** What a hello is answered with; `then` runs once the answer is on its way. */
export interface Welcome {
  answer: HelloAnswer;
  then: () => void;
}

/** What a socket's owner hears of it. */
interface ConnectionHandlers {
  /** Throws what the browser is told when it may not come in. */
  hello(hello: Hello): Welcome;
  state(state: BrowserState): void;
  /** A request to the HTTP API, of a browser that is paired. */
  apiCall(id: number, call: ApiCall): void;
  apiCancel(id: number): void;
  /** False when the person was not asked about that call. */
  allowed(allowed: Allowed): boolean;
  asking(asking: Asking): boolean;
  /** False when nobody waits for that reply. */
  reply(reply: Extract<Frame, { kind: 'result' | 'error' }>): boolean;
  /** A frame with this id cannot be read; false when nobody waits for it. */
  garbled(id: number, problem: string): boolean;
  /** Told once, whoever ended it. */
  closed(): void;
}

interface ConnectionDeps {
  clock: Clock;
  log: Log;
  nextId: () => number;
  /** What the browser has to sign. */
  nonce: string;
  handlers: ConnectionHandlers;
}

const HELLO_MS = 5000;
/** Who is not paired has little to say. */
const MAX_STRANGER_BYTES = 64 * 1024;
const MAX_BAD_FRAMES = 20;
/** After a restart of Forge a browser may bring answers to all that the run before has asked. */
const MAX_STRAY_REPLIES = 200;
/** How long the other side may take to close. */
const CLOSING_MS = 1000;

/** One socket: every frame is checked, silence ends it, and whatever it sends, it can only end itself. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #deps: ConnectionDeps;
  #phase: 'new' | HelloAnswer['state'] | 'closed' = 'new';
  #stopTimer: () => void;
  #pingId: number | null = null;
  #badFrames = 0;
  #strayReplies = 0;
  #takesJoined = false;
  /** Frames of this turn of the event loop. */
  readonly #held = new HeldFrames();

  constructor(socket: WebSocket, deps: ConnectionDeps) {
    this.#socket = socket;
    this.#deps = deps;
    this.#stopTimer = deps.clock.after(HELLO_MS, () => this.close(CLOSE.silent, 'no hello came'));
    socket.on('message', (data, isBinary) => this.#guarded(() => this.#receive(data, isBinary)));
    socket.on('close', () => this.#end());
    // What is wrong with the socket itself, such as a frame that is too large; it closes by itself.
    socket.on('error', (error) => deps.log.debug({ error }, 'a bridge socket failed'));
    this.send(notificationFrame('challenge', { protocol: BRIDGE_PROTOCOL, nonce: deps.nonce, takes_joined: true }));
  }

  get isReady(): boolean {
    return this.#phase === 'ready';
  }

  /** False when the socket is no longer open, and nothing was sent. */
  readonly send = (text: string): boolean => {
    if (this.#phase === 'closed' || this.#socket.readyState !== this.#socket.OPEN) return false;
    if (!this.#held.hasRoomFor(text)) this.#flush();
    this.#held.hold(text);
    if (!this.#takesJoined) this.#flush();
    else if (this.#held.count === 1) setImmediate(this.#flush);
    return true;
  };

  readonly #flush = (): void => {
    if (this.#held.count === 0) return;
    // A failure to send ends in a close event.
    this.#socket.send(joinFrames(this.#held.take()), () => undefined);
  };

  /** A person has accepted it. */
  pair(paired: Paired): boolean {
    if (!this.send(notificationFrame('paired', paired))) return false;
    this.#phase = 'ready';
    return true;
  }

  close(code: CloseCode, reason: string): void {
    if (this.#phase === 'closed') return;
    this.#flush();
    this.#end();
    this.#socket.close(code, closeReason(reason));
    const stop = this.#deps.clock.after(CLOSING_MS, () => this.#socket.terminate());
    this.#socket.once('close', stop);
  }

  #end(): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    this.#stopTimer();
    this.#deps.handlers.closed();
  }

  /** Whatever goes wrong in here, such as a full disk, ends this socket and nothing else. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#deps.log.error({ error }, 'a frame on the bridge could not be handled');
      this.close(CLOSE.internal, 'something went wrong inside Forge');
    }
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#phase === 'closed') return;
    // With ws's own setting a message is one buffer.
    const bytes = data as Buffer;
    if (isBinary) this.#bad('the frame is binary', null);
    else if (this.#phase !== 'ready' && bytes.length > MAX_STRANGER_BYTES)
      this.close(CLOSE.badFrames, 'the frame is too large for a browser that is not paired');
    else this.#split(bytes.toString('utf8'));
  }

  #split(text: string): void {
    const frames = splitFrames(text);
    if (frames === null) this.#bad('the list of frames does not fit them', null);
    else for (const frame of frames) if (this.#phase !== 'closed') this.#handle(readFrame(frame));
  }

  #handle(frame: ReturnType<typeof readFrame>): void {
    switch (frame.kind) {
      case 'bad':
        if (this.#phase === 'new' && frame.protocol !== undefined) this.#refuse(frame.id, frame.problem);
        else this.#bad(frame.problem, frame.id);
        break;
      case 'request':
        this.#request(frame);
        break;
      case 'notification':
        this.#notification(frame);
        break;
      case 'result':
      case 'error':
        this.#reply(frame);
    }
  }

  #request({ id, method, params }: Extract<Frame, { kind: 'request' }>): void {
    if (this.#phase === 'new') {
      if (method === 'hello') this.#hello(id, params as Hello); // checked by readFrame
      else this.close(CLOSE.badFrames, 'the first frame must be hello');
    } else if (method === 'ping') this.send(resultFrame(id, {}));
    else if (method === 'api.call' && this.isReady) this.#deps.handlers.apiCall(id, params as ApiCall); // checked by readFrame
    else this.#bad(`the server does not answer ${method} now`, id);
  }

  #notification({ method, params }: Extract<Frame, { kind: 'notification' }>): void {
    if (this.#phase === 'new') this.close(CLOSE.badFrames, 'the first frame must be hello');
    // The params of each are checked by readFrame.
    else if (method === 'state') this.#deps.handlers.state(params as BrowserState);
    else if (method === 'api.cancel') this.#deps.handlers.apiCancel((params as ApiCancel).id);
    else if (method === 'allowed') this.#requireAsked(this.#deps.handlers.allowed(params as Allowed));
    // What is said about a call that has ended meanwhile comes too late, and that is nobody's fault.
    else if (method === 'asking') this.#deps.handlers.asking(params as Asking);
    else this.#bad(`the server does not take ${method}`, null);
  }

  #requireAsked(wasAsked: boolean): void {
    if (!wasAsked) this.#bad('nobody was asked about that call', null);
  }

  #reply(frame: Extract<Frame, { kind: 'result' | 'error' }>): void {
    if (frame.id === this.#pingId) this.#pingId = null;
    else if (!this.#deps.handlers.reply(frame)) this.#stray(frame.id);
  }

  #stray(id: number): void {
    this.#strayReplies += 1;
    this.#deps.log.debug({ id, count: this.#strayReplies }, 'a browser answered what was not asked');
    if (this.#strayReplies >= MAX_STRAY_REPLIES) this.close(CLOSE.badFrames, 'too many answers to nothing');
  }

  #hello(id: number, hello: Hello): void {
    let welcome: Welcome;
    try {
      welcome = this.#deps.handlers.hello(hello);
    } catch (error) {
      // Whatever else goes wrong is not for somebody who has proved nothing yet.
      const isRefused = isForgeError(error, 'unauthorized');
      const refusal = isRefused ? error : new ForgeError('internal', 'something went wrong inside Forge');
      if (!isRefused) this.#deps.log.error({ error }, 'a hello could not be answered');
      const { code, message, hint, details } = refusal;
      this.send(errorFrame(id, { code, message, hint, ...(details === undefined ? {} : { details }) }));
      this.close(isRefused ? CLOSE.unauthorized : CLOSE.internal, message);
      return;
    }
    this.#stopTimer();
    this.send(resultFrame(id, welcome.answer));
    this.#phase = welcome.answer.state;
    this.#takesJoined = hello.takes_joined === true;
    this.#stopTimer = this.#deps.clock.after(PING_EVERY_MS, () => this.#beat());
    welcome.then();
  }

  /** It speaks another version: told in a way that every version understands. */
  #refuse(id: number | null, problem: string): void {
    if (id !== null) this.send(errorFrame(id, { code: 'bridge_protocol', message: problem }));
    this.close(CLOSE.protocol, problem);
  }

  /** Keeps the extension's worker alive, and finds out when it is not. */
  #beat(): void {
    if (this.#pingId !== null) {
      this.close(CLOSE.silent, 'a ping was not answered');
      return;
    }
    this.#pingId = this.#deps.nextId();
    this.send(requestFrame(this.#pingId, 'ping', {}));
    this.#stopTimer = this.#deps.clock.after(PING_EVERY_MS, () => this.#beat());
  }

  /** Counted, and told to whoever asked; a browser that sends nothing else is not worth its socket. */
  #bad(problem: string, id: number | null): void {
    const { log, handlers } = this.#deps;
    this.#badFrames += 1;
    log.warn({ problem, count: this.#badFrames }, 'a frame on the bridge makes no sense');
    if (this.#badFrames >= MAX_BAD_FRAMES) {
      this.close(CLOSE.badFrames, `too many bad frames: ${problem}`);
      return;
    }
    // An id is either the server's own, and this was meant as its answer, or the browser's, which waits for one.
    if (id !== null && !handlers.garbled(id, problem))
      this.send(errorFrame(id, { code: 'bridge_protocol', message: problem }));
  }
}
