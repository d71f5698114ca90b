import { PassThrough, type Readable } from 'node:stream';
import { ForgeError } from '../../../shared/errors.ts';
import { ownValue } from '../../../shared/json.ts';
import { Stop, type StopSignal } from '../../../shared/stop-signal.ts';
import type { Approval } from '../../approvals/approval.ts';
import { approvalForm, canAsk, decisionOf } from '../ask-person.ts';
import {
  errorMessage,
  notificationMessage,
  resultMessage,
  RPC,
  rpcError,
  type Message,
  type RequestId,
} from '../json-rpc.ts';
import type { Method, Methods, Params } from '../methods.ts';
import { countProgress, peerName, type Decision, type Identity, type Peer } from '../peer.ts';
import { reportWaiting } from '../progress.ts';
import { event, KEEP_ALIVE_MS, STILL_HERE, type Tell } from '../reply.ts';
import type { ClientSites } from '../client-sites.ts';
import type { Exchange } from './exchange.ts';

type Incoming<K extends Message['kind']> = Extract<Message, { kind: K }>;

export interface SessionOptions {
  /** Null for a client that has none: nothing can be sent to it but answers. */
  id: string | null;
  identity: Identity;
  connectors: readonly string[];
  version: string;
  /** What the client said of itself. */
  info: unknown;
  capabilities: unknown;
  methods: Methods;
  sites: Pick<ClientSites, 'of'>;
  tell: Tell;
}

/** One question: where it is put, and what ends it. */
interface Asking {
  exchange: Exchange;
  progress: Peer['progress'];
  endings: readonly StopSignal[];
}

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
/** As long as an approval waits for a person. */
const ASK_MS = 10 * 60_000;
const MAX_SUBSCRIBED = 1000;
const MAX_URI = 500;

/** One client's conversation: what it has under way, what it was asked, and how to reach it. */
export class Session {
  readonly #options: SessionOptions;
  readonly #underWay = new Map<RequestId, Stop>();
  readonly #questions = new Map<RequestId, (answer: Incoming<'response'>) => void>();
  readonly #subscribed = new Set<string>();
  readonly #streams = new Set<PassThrough>();
  #identity: Identity;
  #asked = 0;
  #logLevel: number | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#identity = options.identity;
  }

  get version(): string {
    return this.#options.version;
  }

  get isListening(): boolean {
    return this.#streams.size > 0;
  }

  isOf(clientId: string | null): boolean {
    return this.#identity.clientId === clientId;
  }

  /** The client is back, perhaps with other limits. */
  resume(identity: Identity): void {
    this.#identity = identity;
  }

  /** Answers a request; the answer is a message that can be sent. */
  async request(message: Incoming<'request'>, exchange: Exchange, outer: () => StopSignal): Promise<string> {
    const { id, params } = message;
    const method = this.#own(message.method) ?? ownMethod(this.#options.methods, message.method);
    if (method === null)
      return errorMessage(id, RPC.methodNotFound, `there is no method ${message.method.slice(0, 100)}`);
    if (this.#underWay.has(id)) return errorMessage(id, RPC.invalidRequest, 'a request with this id is under way');
    const stop = new Stop();
    this.#underWay.set(id, stop);
    const signal = outer();
    const leave = (): void => stop.abort(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    try {
      return resultMessage(id, await method(params, this.#peer(params, exchange, stop)));
    } catch (failure) {
      return this.#failed(id, failure);
    } finally {
      signal.removeEventListener('abort', leave);
      this.#underWay.delete(id);
    }
  }

  notified({ method, params }: Incoming<'notification'>): void {
    if (method !== 'notifications/cancelled') return;
    const id = params['requestId'];
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.#underWay.get(id)?.abort(new ForgeError('cancelled', 'the client cancelled the call'));
  }

  /** The answer to a question that was put to the client. */
  answered(message: Incoming<'response'>): void {
    this.#questions.get(message.id)?.(message);
  }

  /** Opens a stream for what is sent without having been asked for. */
  listen(onClose: () => void): Readable {
    const stream = new PassThrough();
    const beat = setInterval(() => stream.write(STILL_HERE), KEEP_ALIVE_MS);
    beat.unref();
    this.#streams.add(stream);
    stream.once('close', () => {
      clearInterval(beat);
      this.#streams.delete(stream);
      onClose();
    });
    // Something has to be sent for the headers to be.
    stream.write(': hello\n\n');
    return stream;
  }

  notify(method: string, params?: Record<string, unknown>): void {
    // A message goes to one stream only, or the client would take it for two.
    const [stream] = this.#streams;
    stream?.write(event(notificationMessage(method, params)));
  }

  /** Tells the client that what it has listed is out of date. */
  catalogueChanged(changedUris: readonly string[]): void {
    this.notify('notifications/tools/list_changed');
    this.notify('notifications/resources/list_changed');
    for (const uri of changedUris) this.resourceUpdated(uri);
  }

  /** Tells the client of a resource that it has subscribed to. */
  resourceUpdated(uri: string): void {
    if (this.#subscribed.has(uri)) this.notify('notifications/resources/updated', { uri });
  }

  /** Nothing is left of it: calls stop, streams end. */
  end(reason: ForgeError): void {
    for (const stop of this.#underWay.values()) stop.abort(reason);
    this.endStreams();
  }

  endStreams(): void {
    for (const stream of this.#streams) stream.end();
  }

  /** Methods that are about the session itself. */
  #own(method: string): Method | null {
    switch (method) {
      case 'ping':
        return () => '{}';
      case 'logging/setLevel':
        return (params) => this.#setLogLevel(params);
      case 'resources/subscribe':
        return ({ uri }) => this.#subscribe(uri);
      case 'resources/unsubscribe':
        return ({ uri }) => {
          this.#subscribed.delete(String(uri));
          return '{}';
        };
      default:
        return null;
    }
  }

  #subscribe(uri: unknown): string {
    if (typeof uri !== 'string' || uri.length > MAX_URI || this.#subscribed.size >= MAX_SUBSCRIBED)
      throw new ForgeError('invalid_request', `subscribe to at most ${MAX_SUBSCRIBED} resources, each by its uri`);
    this.#subscribed.add(uri);
    return '{}';
  }

  #setLogLevel({ level }: Params): string {
    const index = LEVELS.indexOf(String(level));
    if (index < 0) throw new ForgeError('invalid_request', `the level must be one of ${LEVELS.join(', ')}`);
    this.#logLevel = index;
    return '{}';
  }

  #peer(params: Params, exchange: Exchange, signal: StopSignal): Peer {
    const { id, connectors, version, info, capabilities, sites } = this.#options;
    const identity = this.#identity;
    const token = ownValue(params['_meta'], 'progressToken');
    const wantsProgress = exchange.canStream && (typeof token === 'string' || typeof token === 'number');
    const canBeAsked = id !== null && exchange.canStream && canAsk(capabilities);
    const logLevel = exchange.canStream ? this.#logLevel : null;
    const progress = wantsProgress
      ? countProgress((count, message) =>
          exchange.send(
            notificationMessage('notifications/progress', { progressToken: token, progress: count, message }),
          ),
        )
      : null;
    return {
      name: peerName(identity, info),
      scope: { limits: identity.limits, connectors },
      version,
      signal,
      progress,
      log:
        logLevel === null
          ? null
          : (level, logger, data) => {
              if (LEVELS.indexOf(level) < logLevel) return;
              exchange.send(notificationMessage('notifications/message', { level, logger, data }));
            },
      ask: canBeAsked ? (approval, moot) => this.#ask(approval, { exchange, progress, endings: [signal, moot] }) : null,
      read: sites.of(id, identity),
      onWatch: null,
      resumes: null,
    };
  }

  /** Until the person answers, or one of the `endings` makes their answer needless. */
  #ask(approval: Approval, { exchange, progress, endings }: Asking): Promise<Decision> {
    this.#asked += 1;
    const id = `forge-${this.#asked}`;
    return new Promise((resolve) => {
      const settle = (decision: Decision): void => {
        clearTimeout(timer);
        stopTelling();
        for (const ending of endings) ending.removeEventListener('abort', giveUp);
        this.#questions.delete(id);
        resolve(decision);
      };
      const giveUp = (): void => {
        exchange.send(notificationMessage('notifications/cancelled', { requestId: id, reason: 'no longer needed' }));
        settle('later');
      };
      const timer = setTimeout(giveUp, ASK_MS);
      timer.unref();
      const stopTelling = reportWaiting({ progress }, 'waiting for a person to say yes or no');
      for (const ending of endings) ending.addEventListener('abort', giveUp, { once: true });
      this.#questions.set(id, ({ result, isError }) => settle(isError ? 'later' : decisionOf(result)));
      exchange.send(
        JSON.stringify({ jsonrpc: '2.0', id, method: 'elicitation/create', params: approvalForm(approval) }),
      );
    });
  }

  #failed(id: RequestId, failure: unknown): string {
    const { code, message, data } = rpcError(this.#options.tell(failure));
    return errorMessage(id, code, message, data);
  }
}

function ownMethod(methods: Methods, name: string): Method | null {
  // The name is a key of the table, as just checked.
  return Object.hasOwn(methods, name) ? methods[name as keyof Methods] : null;
}
