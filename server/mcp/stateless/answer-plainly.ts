import { approvalForm, canAsk } from '../ask-person.ts';
import { errorMessage, notificationMessage, resultMessage, RPC, rpcError } from '../json-rpc.ts';
import type { ClientSites } from '../client-sites.ts';
import type { Methods } from '../methods.ts';
import { countProgress, peerName, type Peer } from '../peer.ts';
import type { McpReply, McpRequest, Tell } from '../reply.ts';
import { serverInfo } from '../server-info.ts';
import { Exchange } from '../sessions/exchange.ts';
import { STATELESS_SINCE } from '../sessions/versions.ts';
import { askWith, InputNeeded, NOBODY } from './input-needed.ts';
import { META, type PlainRequest } from './plain-request.ts';

interface PlainDeps {
  methods: Methods;
  sites: Pick<ClientSites, 'of'>;
  forgeVersion: string;
  tell: Tell;
}

/** Lists may be asked for again at any time: whether they hold, only Forge knows. */
const UNCACHED = { ttlMs: 0, cacheScope: 'private' };

/** Answers a plain request without the SDK, which takes longer for it than the whole call does. */
export function createPlainAnswers({ methods, sites, forgeVersion, tell }: PlainDeps) {
  const meta = { [META.server]: serverInfo(forgeVersion) };
  const complete = { resultType: 'complete', _meta: meta };
  const heads = {
    'tools/call': headOf(complete),
    'tools/list': headOf({ ...complete, ...UNCACHED }),
  };

  const answer = async (plain: PlainRequest, peer: Peer): Promise<string> => {
    const { id, method, params } = plain;
    try {
      // The result is the JSON text of an object that is not empty; what this revision adds is put in front.
      return resultMessage(id, heads[method] + (await methods[method](params, peer)).slice(1));
    } catch (failure) {
      if (failure instanceof InputNeeded) return resultMessage(id, JSON.stringify(question(failure, meta)));
      const { code, message, data } = rpcError(tell(failure));
      return errorMessage(id, code === RPC.resourceNotFound ? RPC.invalidParams : code, message, data);
    }
  };

  return (plain: PlainRequest, request: McpRequest): Promise<McpReply> => {
    const exchange = new Exchange(request.header('accept'));
    void answer(plain, peerOf(plain, request, exchange, sites)).then(exchange.end);
    return exchange.reply;
  };
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
    ...(canAsk(plain.capabilities) ? askWith(plain.inputResponses) : NOBODY),
  };
}
