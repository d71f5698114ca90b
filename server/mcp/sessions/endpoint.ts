import { ForgeError } from '../../../shared/errors.ts';
import type { ClientSites } from '../client-sites.ts';
import { errorMessage, readMessage, resultMessage, RPC, type Message, type RequestId } from '../json-rpc.ts';
import type { Methods } from '../methods.ts';
import { ACCEPTED, EVENT_STREAM, type McpReply, type McpRequest, type Tell } from '../reply.ts';
import { CAPABILITIES, serverInfo } from '../server-info.ts';
import type { ToolViews } from '../../tools/catalogue/tool-views.ts';
import { Exchange } from './exchange.ts';
import type { SessionStore } from './session-store.ts';
import { Session } from './session.ts';
import { hasBatches, negotiateVersion, UNNAMED_VERSION, VERSIONS } from './versions.ts';

interface EndpointDeps {
  methods: Methods;
  views: ToolViews;
  sessions: SessionStore;
  sites: ClientSites;
  forgeVersion: string;
  /** Called when somebody begins to listen; what it returns is called when they no longer do. */
  onListening: () => () => void;
  tell: Tell;
}

type Initialize = Extract<Message, { kind: 'request' }>;

const SESSION_ID = 'Mcp-Session-Id';
/** As request headers are read. */
const SESSION_HEADER = 'mcp-session-id';
const MAX_BATCH = 100;

/** /mcp as the protocol has it up to 2025-11-25: a session, requests by POST, a stream for what the server has to say by itself. */
export function createSessionEndpoint(deps: EndpointDeps) {
  const { methods, views, sessions, sites, forgeVersion, tell } = deps;

  const initialize = ({ id, params }: Initialize, { identity, connectors }: McpRequest): McpReply => {
    const version = negotiateVersion(params['protocolVersion']);
    const about = { identity, connectors, version, methods, sites, tell };
    const opened = sessions.open({ ...about, info: params['clientInfo'], capabilities: params['capabilities'] });
    sites.begin(opened.id, identity);
    const result = {
      protocolVersion: version,
      capabilities: CAPABILITIES,
      serverInfo: serverInfo(forgeVersion),
      instructions: views.look({ limits: identity.limits, connectors }).instructions,
    };
    return { json: resultMessage(id, JSON.stringify(result)), headers: { [SESSION_ID]: opened.id } };
  };

  /** The session of a request. A client without one is served as far as that is possible. */
  const sessionOf = ({ header, identity, connectors }: McpRequest): Session | null => {
    const id = header(SESSION_HEADER);
    if (id !== '') return sessions.find(id, identity);
    const version = header('mcp-protocol-version') || UNNAMED_VERSION;
    const about = { identity, connectors, version, methods, sites, tell };
    return new Session({ ...about, id: null, info: null, capabilities: null });
  };

  const post = (request: McpRequest): McpReply | Promise<McpReply> => {
    const { body, header } = request;
    const message = readMessage(body);
    if (message.kind === 'request' && message.method === 'initialize') return initialize(message, request);
    const version = header('mcp-protocol-version');
    if (version !== '' && !VERSIONS.includes(version)) return unknownVersion(version);
    const session = sessionOf(request);
    if (session === null) return noSession(idOf(message));
    if (Array.isArray(body)) return batch(session, body, request);
    switch (message.kind) {
      case 'request':
        return answer(session, message, request);
      case 'notification':
        session.notified(message);
        return ACCEPTED;
      case 'response':
        session.answered(message);
        return ACCEPTED;
      case 'invalid':
        return badRequest(message.id, 'this is not a message of JSON-RPC 2.0');
    }
  };

  return {
    post,
    get(request: McpRequest): McpReply {
      const id = request.header(SESSION_HEADER);
      if (id === '') return badRequest(null, `a stream belongs to a session: the header ${SESSION_ID} is missing`);
      if (!request.header('accept').includes('text/event-stream'))
        throw new ForgeError('invalid_request', 'this is a stream of events: send Accept: text/event-stream');
      const session = sessions.find(id, request.identity);
      return session === null ? noSession(null) : { body: session.listen(deps.onListening()), headers: EVENT_STREAM };
    },
    delete(request: McpRequest): McpReply {
      const id = request.header(SESSION_HEADER);
      if (id === '' || sessions.find(id, request.identity) === null) return noSession(null);
      sessions.end(id);
      sites.end(id, request.identity);
      return { status: 204 };
    },
  };
}

function answer(session: Session, message: Initialize, { header, signal }: McpRequest): Promise<McpReply> {
  const exchange = new Exchange(header('accept'));
  void session.request(message, exchange, signal).then(exchange.end);
  return exchange.reply;
}

/** Several messages at once, as one early revision had it: answered together, without anything in between. */
async function batch(session: Session, body: readonly unknown[], request: McpRequest): Promise<McpReply> {
  if (!hasBatches(session.version))
    return badRequest(null, 'this revision of the protocol takes one message at a time');
  if (body.length === 0 || body.length > MAX_BATCH) return badRequest(null, `a batch has 1 to ${MAX_BATCH} messages`);
  const answers = await Promise.all(
    body.map(async (entry) => {
      const message = readMessage(entry);
      if (message.kind === 'request') return session.request(message, new Exchange(''), request.signal);
      if (message.kind === 'notification') session.notified(message);
      if (message.kind === 'response') session.answered(message);
      return message.kind === 'invalid' ? errorMessage(message.id, RPC.invalidRequest, 'not a message') : null;
    }),
  );
  const texts = answers.filter((text) => text !== null);
  return texts.length === 0 ? ACCEPTED : { json: `[${texts.join(',')}]` };
}

function badRequest(id: RequestId | null, message: string): McpReply {
  return { status: 400, json: errorMessage(id, RPC.invalidRequest, message) };
}

function unknownVersion(version: string): McpReply {
  return badRequest(null, `${JSON.stringify(version.slice(0, 40))} is not one of ${VERSIONS.join(', ')}`);
}

/** The client begins again with `initialize`, as the protocol tells it to. */
function noSession(id: RequestId | null): McpReply {
  const message = 'there is no such session: it has ended, or Forge was started again';
  return { status: 404, json: errorMessage(id, RPC.invalidRequest, message) };
}

function idOf(message: Message): RequestId | null {
  return 'id' in message ? message.id : null;
}
