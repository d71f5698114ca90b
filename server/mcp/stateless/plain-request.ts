import { isRecord } from '../../../shared/json.ts';
import type { RequestId } from '../json-rpc.ts';
import type { McpRequest } from '../reply.ts';
import { STATELESS_SINCE } from '../sessions/versions.ts';
import { TASK_METHODS, type TaskMethod } from './tasks.ts';

/** Keys of the envelope that every request of this revision carries. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  client: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  server: 'io.modelcontextprotocol/serverInfo',
} as const;

/** A request with nothing unusual about it. */
export interface PlainRequest {
  id: RequestId;
  method: 'tools/call' | 'tools/list' | TaskMethod;
  params: Record<string, unknown>;
  client: unknown;
  capabilities: Record<string, unknown>;
  progressToken: string | number | null;
  /** What a person has answered to the questions of an earlier attempt. */
  inputResponses: Record<string, unknown>;
}

/**
 * Recognises the requests that clients send all the time, as they should be: the headers repeat what the message says, and the envelope
 * is whole. Null for everything else, which is the SDK's to answer or to refuse.
 */
export function readPlainRequest({ body, header }: Pick<McpRequest, 'body' | 'header'>): PlainRequest | null {
  if (!isRecord(body) || body['jsonrpc'] !== '2.0') return null;
  const { id, method, params } = body;
  if ((typeof id !== 'string' && !Number.isSafeInteger(id)) || !isRecord(params)) return null;
  if (!isPlainMethod(method)) return null;
  if (header('mcp-protocol-version') !== STATELESS_SINCE || header('mcp-method') !== method) return null;
  if (method !== 'tools/list' && header('mcp-name') !== params[method === 'tools/call' ? 'name' : 'taskId'])
    return null;
  const envelope = readEnvelope(params['_meta']);
  const { inputResponses = {} } = params;
  if (envelope === null || !isRecord(inputResponses)) return null;
  // Checked in the line above the method's: a text, or a whole number.
  return { id: id as RequestId, method, params, ...envelope, inputResponses };
}

function isPlainMethod(method: unknown): method is PlainRequest['method'] {
  return method === 'tools/call' || method === 'tools/list' || TASK_METHODS.some((name) => name === method);
}

function readEnvelope(meta: unknown): Pick<PlainRequest, 'client' | 'capabilities' | 'progressToken'> | null {
  if (!isRecord(meta) || meta[META.version] !== STATELESS_SINCE) return null;
  const { [META.client]: client, [META.capabilities]: capabilities, progressToken = null } = meta;
  if (!isRecord(capabilities) || !isPlainClient(client)) return null;
  const isToken = progressToken === null || typeof progressToken === 'string' || Number.isSafeInteger(progressToken);
  // A token that is neither is left to the SDK.
  return isToken ? { client, capabilities, progressToken: progressToken as string | number | null } : null;
}

function isPlainClient(client: unknown): boolean {
  if (client === undefined) return true;
  return isRecord(client) && typeof client['name'] === 'string' && typeof client['version'] === 'string';
}
