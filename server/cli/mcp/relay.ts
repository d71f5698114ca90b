import type { IncomingMessage } from 'node:http';
import { isRecord, ownValue } from '../../../shared/json.ts';
import { readEvents } from '../call/read-events.ts';
import { openRequest, readText } from '../send-request.ts';
import { answeredId, errorLine, ownVersion, readLine, standardHeaders, type Passing } from './message.ts';
import type { Line } from './open-line.ts';
import { LONGEST_TIMER_MS } from '../../base/longest-timer.ts';

export interface RelayOptions {
  /** Finds Forge; called again when it has gone. */
  open: () => Promise<Line>;
  /** One message to the client. */
  write: (line: string) => void;
  /** The client's name in Forge; null speaks for the owner. */
  client: string | null;
  connectors: string | null;
}

interface Session {
  id: string;
  version: string;
}

const PARSE_ERROR = -32700;
const INTERNAL_ERROR = -32603;
const CHANGED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
/** A call may take long, and a stream has no end. */
const NO_TIMEOUT_MS = LONGEST_TIMER_MS;
const GOODBYE_MS = 2000;

/** Nothing was done with the message, so it can be sent again; `failed` is the session it was sent with. */
class Renew extends Error {
  readonly failed: Session | null;

  constructor(message: string, failed: Session | null, options?: ErrorOptions) {
    super(message, options);
    this.failed = failed;
  }
}

/** What a session remembers of the client, and a new one has to be told again. */
const REMEMBERED = ['resources/subscribe', 'logging/setLevel'];
/** As many subscriptions as Forge takes. */
const MAX_REMEMBERED = 1001;

/**
 * Carries messages between a client's lines and Forge's endpoint. It knows the protocol only as far as sessions go, and begins a new one
 * by itself when Forge was started again: most clients would rather give up.
 */
export class Relay {
  readonly #options: RelayOptions;
  readonly #underWay = new Map<unknown, AbortController>();
  readonly #finished = new AbortController();
  readonly #remembered = new Map<string, string>();
  #line: Promise<Line> | null = null;
  #hello: Passing | null = null;
  #session: Promise<Session | null> = Promise.resolve(null);
  #renewing: Promise<void> | null = null;
  #finishing: Promise<void> | null = null;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** One line from the client. Lines do not wait for each other, but all wait for the session. */
  async take(text: string): Promise<void> {
    const message = readLine(text);
    if (message === null) {
      this.#options.write(errorLine(null, PARSE_ERROR, 'this line is not a message in JSON'));
      return;
    }
    if (message.method === 'notifications/cancelled') {
      // Hanging up is how Forge hears of it; it cannot overtake the call.
      this.#underWay.get(message.params['requestId'])?.abort();
      return;
    }
    try {
      if (message.method === 'initialize' && ownVersion(message) === null) await this.#initialize(message);
      else await this.#deliver(message);
    } catch (error) {
      if (message.id === null || message.method === null || this.#isOver(error)) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.write(errorLine(message.id, INTERNAL_ERROR, reason));
    }
  }

  /** The client has gone: what is under way stops, and Forge is told. */
  finish(): Promise<void> {
    return (this.#finishing ??= this.#end());
  }

  async #end(): Promise<void> {
    const session = await this.#session.catch(() => null);
    this.#finished.abort();
    for (const controller of this.#underWay.values()) controller.abort();
    const line = await this.#line?.catch(() => null);
    if (line === null || line === undefined) return;
    try {
      if (session !== null) await this.#request(line, 'DELETE', session, {}, null, AbortSignal.timeout(GOODBYE_MS));
    } catch {
      // Forge may be gone already, and forgets the session by itself.
    }
    await line.close();
  }

  async #initialize(message: Passing): Promise<void> {
    this.#hello = message;
    const opening = this.#begin(message);
    this.#session = opening.then(
      ({ session }) => session,
      () => null,
    );
    this.#options.write((await opening).answer);
  }

  /** Says hello, and listens to what Forge has to say from then on. */
  async #begin(hello: Passing): Promise<{ session: Session | null; answer: string }> {
    const line = await this.#open();
    const response = await this.#request(line, 'POST', null, {}, hello.json, this.#finished.signal);
    const answer = await readText(response);
    const { statusCode: status = 0, headers } = response;
    if (status !== 200) throw new Error(problemOf(status, answer));
    const id = headers['mcp-session-id'];
    const version = ownValue(ownValue(JSON.parse(answer), 'result'), 'protocolVersion');
    const session = typeof id === 'string' ? { id, version: String(version) } : null;
    if (session !== null) void this.#listen(line, session);
    return { session, answer: answer.trim() };
  }

  async #deliver(message: Passing): Promise<void> {
    const controller = new AbortController();
    if (message.id !== null && message.method !== null) this.#underWay.set(message.id, controller);
    try {
      try {
        await this.#send(message, controller.signal);
      } catch (error) {
        if (!(error instanceof Renew)) throw error;
        await this.#renew(error.failed);
        await this.#send(message, controller.signal);
      }
      this.#remember(message);
    } catch (error) {
      // Whoever has cancelled it wants to hear nothing more of it, whichever way its stream broke off.
      if (!controller.signal.aborted) throw error;
    } finally {
      this.#underWay.delete(message.id);
    }
  }

  async #send(message: Passing, signal: AbortSignal): Promise<void> {
    const [line, session] = [await this.#open(), await this.#session];
    const version = ownVersion(message);
    const headers = version === null ? {} : standardHeaders(message, version);
    const response = await this.#request(
      line,
      'POST',
      version === null ? session : null,
      headers,
      message.json,
      signal,
    );
    const { statusCode: status = 0 } = response;
    const type = response.headers['content-type'] ?? '';
    if (type.startsWith('text/event-stream')) await this.#passEvents(response, message);
    else {
      const text = (await readText(response)).trim();
      if (status === 401 || (status === 404 && session !== null)) throw new Renew(problemOf(status, text), session);
      if (message.id === null || message.method === null) return;
      const isMessage = text.startsWith('{"jsonrpc"');
      this.#options.write(isMessage ? text : errorLine(message.id, INTERNAL_ERROR, problemOf(status, text)));
    }
  }

  /** A stream that ends before the answer would leave the client waiting. */
  async #passEvents(response: IncomingMessage, { id }: Passing): Promise<void> {
    let isAnswered = false;
    for await (const { data } of readEvents(response)) {
      isAnswered ||= answeredId(data) === id;
      this.#options.write(JSON.stringify(data));
    }
    if (!isAnswered && id !== null) throw new Error('Forge went away before it answered');
  }

  /** What Forge says by itself; when the stream ends, the next message of the client finds out why. */
  async #listen(line: Line, session: Session): Promise<void> {
    try {
      const response = await this.#request(line, 'GET', session, {}, null, this.#finished.signal);
      if (response.statusCode !== 200) return;
      for await (const { data } of readEvents(response)) this.#options.write(JSON.stringify(data));
    } catch (error) {
      if (!this.#isOver(error)) this.#forget(line);
    }
  }

  /**
   * Forge was started again, or its token was replaced: finds it, and says hello as the client once did. Several messages may have failed
   * with one session, and the first of them has renewed it for all.
   */
  #renew(failed: Session | null): Promise<void> {
    this.#renewing ??= (async () => {
      if (failed !== null && (await this.#session) !== failed) return;
      this.#forget(await this.#open());
      if (this.#hello === null) return;
      const { session } = await this.#begin(this.#hello);
      this.#session = Promise.resolve(session);
      for (const message of this.#remembered.values()) await this.#repeat(message, session);
      this.#options.write(CHANGED);
    })().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  #remember({ method, params, json }: Passing): void {
    if (method === 'resources/unsubscribe') this.#remembered.delete(`resources/subscribe ${String(params['uri'])}`);
    if (method === null || !REMEMBERED.includes(method) || this.#remembered.size >= MAX_REMEMBERED) return;
    this.#remembered.set(method === 'logging/setLevel' ? method : `${method} ${String(params['uri'])}`, json);
  }

  /** Once more, in a new session; the client has had its answer. */
  async #repeat(json: string, session: Session | null): Promise<void> {
    const response = await this.#request(await this.#open(), 'POST', session, {}, json, this.#finished.signal);
    await readText(response);
  }

  #forget({ isOwn }: Line): void {
    if (!isOwn) this.#line = null;
  }

  #open(): Promise<Line> {
    this.#line ??= this.#options.open().catch((error: unknown) => {
      this.#line = null;
      throw error;
    });
    return this.#line;
  }

  async #request(
    { url, token }: Line,
    method: string,
    session: Session | null,
    more: Record<string, string>,
    body: string | null,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { client, connectors } = this.#options;
    const headers = {
      'X-Forge-Token': token(),
      Accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(client === null ? {} : { 'X-Forge-Mcp-Client': client }),
      ...(session === null ? {} : { 'Mcp-Session-Id': session.id, 'MCP-Protocol-Version': session.version }),
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      ...more,
    };
    const place = `${url}/mcp${connectors === null ? '' : `?connectors=${encodeURIComponent(connectors)}`}`;
    const sent = body === null ? {} : { body };
    try {
      return await openRequest(place, { method, headers, timeoutMs: NO_TIMEOUT_MS, signal, ...sent });
    } catch (error) {
      // Nobody was there to take it.
      if (codeOf(error) === 'ECONNREFUSED') throw new Renew('Forge is not running', session, { cause: error });
      throw error;
    }
  }

  #isOver(error: unknown): boolean {
    return this.#finished.signal.aborted || codeOf(error) === 'ABORT_ERR';
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** What Forge says in its own words when it refuses a request as such. */
function problemOf(status: number, text: string): string {
  try {
    const error = ownValue(JSON.parse(text), 'error');
    if (isRecord(error)) return [error['message'], error['hint']].filter((part) => typeof part === 'string').join('. ');
  } catch {
    // Not JSON: the status has to do.
  }
  return `Forge answered ${status}`;
}
