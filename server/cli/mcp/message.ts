import { isRecord, ownValue } from '../../../shared/json.ts';

type Id = string | number;

/** What the relay has to know of a message; everything else passes through. */
export interface Passing {
  /** Null for a notification. */
  id: Id | null;
  /** Null for an answer to a question of the server's. */
  method: string | null;
  params: Record<string, unknown>;
  json: string;
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
/** Where a method's parameters name what it is about. */
const NAMES: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** One line of standard input; null when it is not a message. */
export function readLine(line: string): Passing | null {
  try {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value)) return null;
    const { id, method, params } = value;
    return {
      id: typeof id === 'string' || typeof id === 'number' ? id : null,
      method: typeof method === 'string' ? method : null,
      params: isRecord(params) ? params : {},
      json: line,
    };
  } catch {
    // Told to the client by whoever reads lines.
    return null;
  }
}

/** The revision that a message names in itself, as those without sessions do. */
export function ownVersion({ params }: Passing): string | null {
  const version = ownValue(params['_meta'], VERSION_KEY);
  return typeof version === 'string' ? version : null;
}

/** Headers that repeat what such a message says, for whoever routes it. */
export function standardHeaders(message: Passing, version: string): Record<string, string> {
  const { method, params } = message;
  if (method === null) return { 'MCP-Protocol-Version': version };
  const name = params[NAMES[method] ?? ''];
  return {
    'MCP-Protocol-Version': version,
    'Mcp-Method': method,
    ...(typeof name === 'string' ? { 'Mcp-Name': headerText(name) } : {}),
  };
}

export function errorLine(id: Id | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

/** The id that a message from the server answers. */
export function answeredId(value: unknown): unknown {
  return isRecord(value) && value['method'] === undefined ? value['id'] : undefined;
}

/** What a header cannot carry is written as base64, as the protocol has it. */
function headerText(text: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?/i.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
