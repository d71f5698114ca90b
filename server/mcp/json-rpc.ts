import type { ErrorCode, ForgeError } from '../../shared/errors.ts';
import { isRecord, ownValue } from '../../shared/json.ts';

export type RequestId = string | number;

/** A message as it came in; what cannot be one is `invalid`. */
export type Message =
  | { kind: 'request'; id: RequestId; method: string; params: Record<string, unknown> }
  | { kind: 'notification'; method: string; params: Record<string, unknown> }
  | { kind: 'response'; id: RequestId; result: unknown; isError: boolean }
  | { kind: 'invalid'; id: RequestId | null };

export const RPC = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  resourceNotFound: -32002,
  missingCapability: -32021,
} as const;

/** Errors that say more to a client of the protocol than that something went wrong. */
const BY_CODE: Partial<Record<ErrorCode, number>> = {
  invalid_request: RPC.invalidParams,
  invalid_argument: RPC.invalidParams,
  tool_not_found: RPC.invalidParams,
  method_not_allowed: RPC.methodNotFound,
  not_found: RPC.resourceNotFound,
  connector_not_found: RPC.resourceNotFound,
  result_not_found: RPC.resourceNotFound,
};

/** Reads one message. Parameters that are left out are none. */
export function readMessage(value: unknown): Message {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return { kind: 'invalid', id: null };
  const { id, method, params = {} } = value;
  const hasId = typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
  if (typeof method === 'string') {
    if (!isRecord(params)) return { kind: 'invalid', id: hasId ? id : null };
    if (hasId) return { kind: 'request', id, method, params };
    return id === undefined ? { kind: 'notification', method, params } : { kind: 'invalid', id: null };
  }
  if (hasId && (value['result'] !== undefined || isRecord(value['error']))) {
    return { kind: 'response', id, result: value['result'], isError: value['result'] === undefined };
  }
  return { kind: 'invalid', id: hasId ? id : null };
}

/** An answer; `result` is JSON text, which is sent as it is. */
export function resultMessage(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

export function errorMessage(id: RequestId | null, code: number, message: string, data?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
}

export function notificationMessage(method: string, params?: Record<string, unknown>): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
}

/** An error of Forge's as the protocol tells it; the text is taken from the JSON, in which nothing is secret any more. */
export function rpcError({ error, json }: { error: ForgeError; json: string }): {
  code: number;
  message: string;
  data: Record<string, unknown>;
} {
  const told = ownValue(JSON.parse(json), 'error');
  const { message, details, ...data } = isRecord(told) ? told : {};
  const code = BY_CODE[error.code] ?? RPC.internal;
  const uri = code === RPC.resourceNotFound ? ownValue(details, 'uri') : undefined;
  // The protocol has a place of its own for the address of a resource that does not exist.
  const more = uri === undefined ? (details === undefined ? {} : { details }) : { uri };
  return { code, message: String(message), data: { ...data, ...more } };
}
