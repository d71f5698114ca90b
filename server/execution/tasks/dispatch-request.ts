import { ForgeError } from '../../../shared/errors.ts';
import { isRecord, type JsonObject } from '../../../shared/json.ts';
import {
  COST_TIERS,
  GATEWAY_CAPABILITIES,
  OUTPUT_STRATEGIES,
  type CostTier,
  type GatewayCapability,
  type OutputStrategy,
} from '../capabilities.ts';
import type { ToolChoice } from '../model-tools.ts';
import type { TaskSpec, WorkspaceFile } from './task-spec.ts';

type Body = Readonly<Record<string, unknown>>;

const DEFAULT_TIMEOUT_SECONDS = 600;
const MAX_TIMEOUT_SECONDS = 24 * 60 * 60;
const MAX_ID = 200;
const MAX_LIST = 500;

/** Reads what was dispatched. Names are taken in both spellings that are about, `callbackUrl` and `callback_url`; unknown keys are ignored. */
export function readDispatch(body: Body): { spec: TaskSpec; wait: boolean } {
  const message = textAt(body, ['message', 'prompt'], Infinity);
  if (message === undefined || message.trim() === '') throw wrong('message', 'a text that says what to do');
  const agentId = idAt(body, ['agentId', 'agent_id']) ?? 'default';
  const preferences = objectAt(body, ['preferences']) ?? {};
  const url = textAt(body, ['callbackUrl', 'callback_url'], 2000);
  const spec: TaskSpec = {
    taskId: idAt(body, ['taskId', 'task_id']),
    agentId,
    sessionId: idAt(body, ['sessionId', 'session_id']),
    message,
    systemPrompt: textAt(body, ['systemPrompt', 'system_prompt'], Infinity),
    workspaceFiles: filesAt(body, ['workspaceFiles', 'workspace_files']),
    model: textAt(body, ['model'], MAX_ID),
    tools: toolsAt(body),
    timeoutSeconds: timeoutAt(body),
    outputStrategy: choiceAt(body, ['outputStrategy', 'output_strategy'], OUTPUT_STRATEGIES),
    outputSchema: objectAt(body, ['outputSchema', 'output_schema']),
    metadata: objectAt(body, ['metadata']),
    gateway: textAt(body, ['gateway', 'provider'], MAX_ID),
    requires: capabilitiesAt(body),
    prefers: listAt(preferences, ['gateways', 'providers']),
    maxCostTier: choiceAt(preferences, ['maxCostTier', 'max_cost_tier'], COST_TIERS),
    caller: { kind: 'api', name: `dispatch ${agentId}`.slice(0, 100) },
    callback: url === undefined ? undefined : { url, token: textAt(body, ['callbackToken', 'callback_token'], 4000) },
  };
  const wait = body['wait'] === true;
  if (!wait && body['wait'] !== undefined && body['wait'] !== false) throw wrong('wait', 'true or false');
  return { spec, wait };
}

function valueAt(body: Body, names: readonly string[]): unknown {
  return names.map((name) => body[name]).find((value) => value !== undefined && value !== null);
}

function textAt(body: Body, names: readonly string[], maxChars: number): string | undefined {
  const value = valueAt(body, names);
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.length > maxChars)
    throw wrong(names[0], maxChars === Infinity ? 'a text' : `a text of at most ${maxChars} characters`);
  return value;
}

/** Ids stand in addresses and in log lines. */
function idAt(body: Body, names: readonly string[]): string | undefined {
  const id = textAt(body, names, MAX_ID);
  if (id === undefined || /^[\w.:@-]+$/.test(id)) return id;
  throw wrong(names[0], 'letters, digits and . : @ _ -');
}

function timeoutAt(body: Body): number {
  const value = valueAt(body, ['timeoutSeconds', 'timeout_seconds', 'timeout']) ?? DEFAULT_TIMEOUT_SECONDS;
  if (typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT_SECONDS) return value;
  throw wrong('timeoutSeconds', `a number of seconds up to ${MAX_TIMEOUT_SECONDS}`);
}

/** Left out it is all of them; a list names tools or connectors; an empty one is none. */
function toolsAt(body: Body): ToolChoice {
  const { tools } = body;
  if (tools === undefined || tools === null || tools === 'all') return 'all';
  if (tools === 'none') return 'none';
  const names = listAt(body, ['tools']) ?? [];
  return names.length === 0 ? 'none' : names;
}

/** A list of names; an entry that is an object is known by its name or id. */
function listAt(body: Body, names: readonly string[]): string[] | undefined {
  const value = valueAt(body, names);
  if (value === undefined) return undefined;
  const list: unknown[] = Array.isArray(value) ? value : [];
  const found = list.map((entry) => (isRecord(entry) ? (entry['name'] ?? entry['id']) : entry));
  if (Array.isArray(value) && list.length <= MAX_LIST && found.every((entry) => typeof entry === 'string'))
    return found;
  throw wrong(names[0], 'a list of names');
}

function capabilitiesAt(body: Body): GatewayCapability[] | undefined {
  const names = listAt(body, ['requires', 'capabilities']);
  return names?.map((name) => {
    const known = GATEWAY_CAPABILITIES.find((capability) => capability === name);
    if (known === undefined) throw wrong('requires', `a list of ${GATEWAY_CAPABILITIES.join(', ')}`);
    return known;
  });
}

function filesAt(body: Body, names: readonly string[]): WorkspaceFile[] | undefined {
  const value = valueAt(body, names);
  if (value === undefined) return undefined;
  const entries: unknown[] = isRecord(value)
    ? Object.entries(value).map(([name, content]) => ({ name, content }))
    : Array.isArray(value)
      ? value
      : [null];
  return entries.map((entry) => {
    const { name, path, content } = isRecord(entry) ? entry : {};
    const called = name ?? path;
    if (typeof called !== 'string' || typeof content !== 'string')
      throw wrong(names[0], 'files with a name and their content');
    return { name: called, content };
  });
}

function objectAt(body: Body, names: readonly string[]): JsonObject | undefined {
  const value = valueAt(body, names);
  if (value === undefined) return undefined;
  if (!isRecord(value)) throw wrong(names[0], 'an object');
  return value as JsonObject; // the body was JSON
}

function choiceAt<T extends OutputStrategy | CostTier>(
  body: Body,
  names: readonly string[],
  words: readonly T[],
): T | undefined {
  const value = valueAt(body, names);
  if (value === undefined) return undefined;
  const found = words.find((word) => word === value);
  if (found === undefined) throw wrong(names[0], `one of ${words.join(', ')}`);
  return found;
}

function wrong(name: string | undefined, wanted: string): ForgeError {
  return new ForgeError('invalid_request', `${name ?? ''} must be ${wanted}`);
}
