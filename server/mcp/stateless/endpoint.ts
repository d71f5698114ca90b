import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type * as Sdk from '@modelcontextprotocol/server';
import { isRecord, ownValue } from '../../../shared/json.ts';
import { abortSignalOf } from '../../../shared/stop-signal.ts';
import type { Approval } from '../../approvals/approval.ts';
import { approvalForm, canAsk } from '../ask-person.ts';
import type { ClientSites } from '../client-sites.ts';
import { rpcError } from '../json-rpc.ts';
import { METHOD_NAMES, type Methods } from '../methods.ts';
import { countProgress, peerName, type Identity, type Peer } from '../peer.ts';
import type { McpReply, McpRequest, Tell } from '../reply.ts';
import { CAPABILITIES, serverInfo } from '../server-info.ts';
import { STATELESS_SINCE } from '../sessions/versions.ts';
import type { ToolViews } from '../../tools/catalogue/tool-views.ts';
import { createPlainAnswers } from './answer-plainly.ts';
import { askWith, InputNeeded, NOBODY } from './input-needed.ts';
import { META, readPlainRequest } from './plain-request.ts';
import { TASKS_CAPABILITY, type Tasks } from './tasks.ts';

interface EndpointDeps {
  methods: Methods;
  tasks: Tasks;
  sites: Pick<ClientSites, 'of'>;
  views: ToolViews;
  forgeVersion: string;
  /** Called when somebody begins to listen; what it returns is called when they no longer do. */
  onListening: () => () => void;
  tell: Tell;
}

/** What the SDK hands through to the server it makes for a request. */
interface Origin {
  identity: Identity;
  connectors: readonly string[];
}

/** Headers that the protocol's own checks look at. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** Whether a message speaks the revision without sessions: it says so in itself, or its header does. */
export function isStateless(body: unknown, version: string): boolean {
  if (version >= STATELESS_SINCE) return true;
  return isRecord(body) && ownValue(ownValue(body['params'], '_meta'), META.version) !== undefined;
}

/**
 * /mcp as the protocol has it since 2026-07-28. The SDK speaks it and is loaded when the first such client comes; plain calls and lists are
 * answered without it.
 */
export function createStatelessEndpoint(deps: EndpointDeps) {
  const answerPlainly = createPlainAnswers(deps);
  let loading: Promise<Sdk.McpHttpHandler> | null = null;
  const load = async (): Promise<Sdk.McpHttpHandler> => {
    const sdk = await import('@modelcontextprotocol/server');
    return sdk.createMcpHandler((context) => createServer(sdk, deps, originOf(context)), { legacy: 'reject' });
  };

  const answerBySdk = async ({ body, header, identity, connectors, signal }: McpRequest): Promise<McpReply> => {
    const handler = await (loading ??= load());
    const headers = HEADERS.flatMap((name): [string, string][] => (header(name) === '' ? [] : [[name, header(name)]]));
    const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers, signal: abortSignalOf(signal()) });
    const origin: Origin = { identity, connectors };
    const authInfo = { token: '', clientId: identity.clientId ?? '', scopes: [], extra: { origin } };
    const reply = await replyOf(await handler.fetch(request, { parsedBody: body, authInfo }));
    if (isListening(body) && reply.body instanceof Readable) reply.body.once('close', deps.onListening());
    return reply;
  };

  return {
    post: (request: McpRequest): McpReply | Promise<McpReply> => {
      const plain = readPlainRequest(request);
      return plain === null ? answerBySdk(request) : answerPlainly(plain, request);
    },
    /** Tells those who listen; nobody does before the SDK is there. */
    catalogueChanged: async (changedUris: readonly string[]): Promise<void> => {
      if (loading === null) return;
      const { notify } = await loading;
      notify.toolsChanged();
      notify.resourcesChanged();
      for (const uri of changedUris) notify.resourceUpdated(uri);
    },
    resourceUpdated: async (uri: string): Promise<void> => {
      if (loading !== null) (await loading).notify.resourceUpdated(uri);
    },
    close: async (): Promise<void> => {
      if (loading !== null) await (await loading).close();
    },
  };
}

function isListening(body: unknown): boolean {
  return ownValue(body, 'method') === 'subscriptions/listen';
}

function originOf({ authInfo }: Sdk.McpRequestContext): Origin {
  // Put there by `post` above; the SDK only hands it on.
  return authInfo?.extra?.['origin'] as Origin;
}

function createServer(
  sdk: typeof Sdk,
  { methods, sites, views, forgeVersion, tell }: EndpointDeps,
  origin: Origin,
): Sdk.McpServer {
  const scope = { limits: origin.identity.limits, connectors: origin.connectors };
  const { instructions } = views.last(scope);
  // In this revision Forge sends no log messages.
  const { logging: _none, ...common } = CAPABILITIES;
  const capabilities = { ...common, ...TASKS_CAPABILITY };
  const server = new sdk.McpServer(serverInfo(forgeVersion), { capabilities, instructions });
  for (const name of METHOD_NAMES) {
    const answer = async (request: { params?: unknown }, context: Sdk.ServerContext): Promise<Sdk.Result> => {
      const params = isRecord(request.params) ? request.params : {};
      try {
        // Methods answer with the JSON text of an object.
        return JSON.parse(await methods[name](params, peerOf(context, origin, sites))) as Sdk.Result;
      } catch (failure) {
        if (failure instanceof InputNeeded) return questionOf(sdk, failure.approval);
        const { code, message, data } = rpcError(tell(failure));
        throw new sdk.ProtocolError(code, message, data);
      }
    };
    // The SDK types each method's result on its own; Forge's are JSON text until here, and the SDK checks what is sent.
    server.server.setRequestHandler(name as 'tools/call', answer as never);
  }
  return server;
}

function peerOf({ mcpReq }: Sdk.ServerContext, { identity, connectors }: Origin, sites: EndpointDeps['sites']): Peer {
  const { envelope, signal, notify, inputResponses, _meta: meta } = mcpReq;
  const token = meta?.progressToken;
  return {
    name: peerName(identity, ownValue(envelope, META.client)),
    scope: { limits: identity.limits, connectors },
    version: STATELESS_SINCE,
    signal,
    progress:
      token === undefined
        ? null
        : countProgress((progress, message) => {
            const params = { progressToken: token, progress, message };
            // Somebody who no longer listens is no problem of the call's.
            notify({ method: 'notifications/progress', params }).catch(() => undefined);
          }),
    // That revision has given up log messages.
    log: null,
    read: sites.of(null, identity),
    // The SDK refuses to answer with a task; clients' usual requests do not come this way.
    onWatch: null,
    ...(canAsk(ownValue(envelope, META.capabilities)) ? askWith(inputResponses) : NOBODY),
  };
}

function questionOf(sdk: typeof Sdk, approval: Approval): Sdk.InputRequiredResult {
  const form = approvalForm(approval);
  return sdk.inputRequired({ inputRequests: { [approval.id]: { method: 'elicitation/create', params: form } } });
}

async function replyOf(response: Response): Promise<McpReply> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream') && response.body !== null) {
    // The same stream; Node's types and the web's differ in name only.
    const body: unknown = response.body;
    const stream = Readable.fromWeb(body as ReadableStream);
    return { status: response.status, headers: { 'Content-Type': type }, body: stream };
  }
  const text = await response.text();
  return { status: response.status, ...(text === '' ? { body: '' } : { json: text }) };
}
