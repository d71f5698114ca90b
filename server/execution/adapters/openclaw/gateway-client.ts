import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { ForgeError } from '../../../../shared/errors.ts';
import { isRecord } from '../../../../shared/json.ts';
import { FORGE_VERSION } from '../../../version.ts';
import type { OpenSocket } from '../../guarded-socket.ts';

/** What a run tells while it goes on. */
export interface AgentEvent {
  runId: string;
  stream: string;
  data: Record<string, unknown>;
}

type AgentListener = (event: AgentEvent) => void;
type Payload = Record<string, unknown>;

interface Pending {
  resolve: (payload: Payload) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

const REQUEST_TIMEOUT_MS = 20_000;
/** The revisions of the gateway's protocol whose frames look like this. */
const PROTOCOLS = { minProtocol: 3, maxProtocol: 4 };
const SCOPES = ['operator.read', 'operator.write', 'operator.admin'];

interface ClientOptions {
  url: string;
  token: string | undefined;
  openSocket: OpenSocket;
}

/** One connection to an OpenClaw gateway: it is made when something is asked, and made again when it was lost. */
export class GatewayClient {
  readonly #options: ClientOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #listeners = new Set<AgentListener>();
  readonly #onLost = new Set<(error: Error) => void>();
  #connecting: Promise<WebSocket> | null = null;
  #socket: WebSocket | null = null;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  async request(method: string, params: Payload = {}): Promise<Payload> {
    return this.#send(await this.connect(), method, params);
  }

  connect(): Promise<WebSocket> {
    if (this.#socket !== null) return Promise.resolve(this.#socket);
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  /** Hears every run's events until it is told to stop; `onLost` is called once if the connection goes. */
  listen(listener: AgentListener, onLost: (error: Error) => void): () => void {
    this.#listeners.add(listener);
    this.#onLost.add(onLost);
    return () => {
      this.#listeners.delete(listener);
      this.#onLost.delete(onLost);
    };
  }

  close(): void {
    this.#socket?.close();
    this.#lost(new ForgeError('shutting_down', 'the connection to OpenClaw was closed'));
  }

  async #open(): Promise<WebSocket> {
    const socket = await this.#options.openSocket(this.#options.url);
    socket.on('message', (data: Buffer) => this.#receive(data.toString('utf8')));
    socket.on('close', () => {
      if (this.#socket === socket || this.#socket === null)
        this.#lost(new ForgeError('runtime_offline', 'the connection to OpenClaw was lost'));
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve());
      socket.on('error', (cause) =>
        reject(new ForgeError('runtime_offline', `OpenClaw does not answer at ${this.#options.url}`, { cause })),
      );
    });
    try {
      await this.#send(socket, 'connect', this.#hello());
    } catch (error) {
      socket.close();
      throw error;
    }
    this.#socket = socket;
    return socket;
  }

  #hello(): Payload {
    const { token } = this.#options;
    return {
      ...PROTOCOLS,
      client: { id: 'gateway-client', version: FORGE_VERSION, platform: process.platform, mode: 'backend' },
      ...{ role: 'operator', scopes: SCOPES, caps: [], commands: [], permissions: {} },
      ...(token === undefined ? {} : { auth: { token } }),
      userAgent: `forge/${FORGE_VERSION}`,
    };
  }

  #send(socket: WebSocket, method: string, params: Payload): Promise<Payload> {
    const id = randomUUID();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new ForgeError('runtime_failed', `OpenClaw did not answer ${method} in time`));
      }, REQUEST_TIMEOUT_MS);
      this.#pending.set(id, { resolve, reject, timer });
      socket.send(JSON.stringify({ type: 'req', id, method, params }));
    });
  }

  #receive(text: string): void {
    const frame = parsed(text);
    if (frame === null) return;
    if (frame['type'] === 'res') this.#answer(frame);
    if (frame['type'] === 'event' && frame['event'] === 'agent') {
      const event = agentEvent(frame['payload']);
      if (event !== null) for (const listener of [...this.#listeners]) listener(event);
    }
  }

  /** A run is answered twice, when it was accepted and when it has ended; the second answer says nothing new. */
  #answer(frame: Payload): void {
    const id = String(frame['id']);
    const waiting = this.#pending.get(id);
    if (waiting === undefined) return;
    this.#pending.delete(id);
    clearTimeout(waiting.timer);
    if (frame['ok'] === true) waiting.resolve(isRecord(frame['payload']) ? frame['payload'] : {});
    else waiting.reject(refusal(frame['error']));
  }

  #lost(error: Error): void {
    this.#socket = null;
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#pending.clear();
    for (const onLost of [...this.#onLost]) onLost(error);
  }
}

function parsed(text: string): Payload | null {
  try {
    const frame: unknown = JSON.parse(text);
    return isRecord(frame) ? frame : null;
  } catch {
    // What is no JSON is no frame.
    return null;
  }
}

function agentEvent(payload: unknown): AgentEvent | null {
  if (!isRecord(payload)) return null;
  const { runId, stream, data } = payload;
  return typeof runId === 'string' && typeof stream === 'string' && isRecord(data) ? { runId, stream, data } : null;
}

function refusal(error: unknown): ForgeError {
  const { message, code } = isRecord(error) ? error : {};
  const text = typeof message === 'string' ? message : 'OpenClaw gave no reason';
  const isAuth = /auth|token|pairing|unauthorized/i.test(`${String(code)} ${text}`);
  return new ForgeError(isAuth ? 'model_auth_failed' : 'runtime_failed', text, {
    hint: isAuth ? 'OPENCLAW_GATEWAY_TOKEN must be the gateway’s token.' : 'Read what OpenClaw says.',
  });
}
