import { approvalForm, canAsk } from '../ask-person.ts';
import { errorMessage, notificationMessage, resultMessage, RPC, rpcError, type RequestId } from '../json-rpc.ts';
import type { ClientSites } from '../client-sites.ts';
import type { Methods } from '../methods.ts';
import { countProgress, peerName, type Peer } from '../peer.ts';
import type { McpReply, McpRequest, Tell } from '../reply.ts';
import { serverInfo } from '../server-info.ts';
import { Exchange } from '../sessions/exchange.ts';
import { STATELESS_SINCE } from '../sessions/versions.ts';
import { askWith, InputNeeded, NOBODY } from './input-needed.ts';
import { META, type PlainRequest } from './plain-request.ts';
import { takesTasks, TASKS_CAPABILITY, TASKS_EXTENSION, type Tasks } from './tasks.ts';

interface PlainDeps {
  methods: Methods;
  tasks: Tasks;
  sites: Pick<ClientSites, 'of'>;
  forgeVersion: string;
  tell: Tell;
}

/** Lists may be asked for again at any time: whether they hold, only Forge knows. */
const UNCACHED = { ttlMs: 0, cacheScope: 'private' };

/** Answers a plain request without the SDK, which takes longer for it than the whole call does. */
export function createPlainAnswers({ methods, tasks, sites, forgeVersion, tell }: PlainDeps) {
  const meta = { [META.server]: serverInfo(forgeVersion) };
  const complete = { resultType: 'complete', _meta: meta };
  const heads = { 'tools/call': headOf(complete), 'tools/list': headOf({ ...complete, ...UNCACHED }) };

  const resultOf = async ({ method, params, capabilities }: PlainRequest, peer: Peer): Promise<string> => {
    if (method !== 'tools/call' && method !== 'tools/list')
      return JSON.stringify({ ...complete, ...tasks.methods[method](params, peer) });
    const started: string[] = [];
    const onWatch = (watchId: string): void => void started.push(watchId);
    const result = await methods[method](params, takesTasks(capabilities) ? { ...peer, onWatch } : peer);
    const [watchId] = started;
    const task = watchId === undefined ? null : tasks.created(watchId, peer);
    if (task !== null) return JSON.stringify({ ...task, resultType: 'task', _meta: meta });
    // The result is the JSON text of an object that is not empty; what this revision adds is put in front.
    return heads[method] + result.slice(1);
  };

  const answer = async (plain: PlainRequest, peer: Peer): Promise<string> => {
    const { id } = plain;
    try {
      return resultMessage(id, await resultOf(plain, peer));
    } catch (failure) {
      if (failure instanceof InputNeeded) return resultMessage(id, JSON.stringify(question(failure, meta)));
      const { code, message, data } = rpcError(tell(failure));
      return errorMessage(id, code === RPC.resourceNotFound ? RPC.invalidParams : code, message, data);
    }
  };

  return (plain: PlainRequest, request: McpRequest): McpReply | Promise<McpReply> => {
    if (plain.method.startsWith('tasks/') && !takesTasks(plain.capabilities)) return missingTasks(plain.id);
    const exchange = new Exchange(request.header('accept'));
    void answer(plain, peerOf(plain, request, exchange, sites)).then(exchange.end);
    return exchange.reply;
  };
}

/** The protocol asks for this error, and for this status. */
function missingTasks(id: RequestId): McpReply {
  const message = `This request needs the client capability ${TASKS_EXTENSION}.`;
  const data = { requiredCapabilities: TASKS_CAPABILITY };
  return { status: 400, json: errorMessage(id, RPC.missingCapability, message, data) };
}

function headOf(members: object): string {
  return `${JSON.stringify(members).slice(0, -1)},`;
}

function question({ approval }: InputNeeded, meta: object): object {
  const asked = { method: 'elicitation/create', params: approvalForm(approval) };
  return { resultType: 'input_required', inputRequests: { [approval.id]: asked }, _meta: meta };
}

function peerOf(
  plain: PlainRequest,
  { identity, connectors, signal }: McpRequest,
  exchange: Exchange,
  sites: PlainDeps['sites'],
): Peer {
  const { progressToken } = plain;
  return {
    name: peerName(identity, plain.client),
    scope: { limits: identity.limits, connectors },
    version: STATELESS_SINCE,
    signal: signal(),
    progress:
      progressToken === null || !exchange.canStream
        ? null
        : countProgress((progress, message) =>
            exchange.send(notificationMessage('notifications/progress', { progressToken, progress, message })),
          ),
    // This revision has given up log messages.
    log: null,
    read: sites.of(null, identity),
    onWatch: null,
    ...(canAsk(plain.capabilities) ? askWith(plain.inputResponses) : NOBODY),
  };
}
