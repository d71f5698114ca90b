import type { CompleteResult, ReadResourceResult } from '@modelcontextprotocol/server';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import type { createBuiltinTools } from './builtin-tools.ts';
import { readCallParams, type CallConnectorTool } from './call-tool.ts';
import { mayInspect, withInspectTool, type InspectDeps } from './inspect-tool.ts';
import type { Peer } from './peer.ts';
import { getPrompt, PROMPT_LIST } from './prompts.ts';
import { TEMPLATE_LIST, type Resources } from './resources.ts';
import type { Scope, ToolViews } from '../tools/catalogue/tool-views.ts';

export type Params = Record<string, unknown>;

/** Answers one method of the protocol with its result as JSON text. */
export type Method = (params: Params, peer: Peer) => string | Promise<string>;

export const METHOD_NAMES = [
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
] as const;

/** What every revision of the protocol has in common; how messages travel is not known here. */
export type Methods = Record<(typeof METHOD_NAMES)[number], Method>;

interface MethodDeps extends Pick<InspectDeps, 'hasBrowser'> {
  views: ToolViews;
  resources: Resources;
  builtinTools: ReturnType<typeof createBuiltinTools>;
  callConnectorTool: CallConnectorTool;
}

const MAX_COMPLETIONS = 100;

export function createMethods({ views, resources, builtinTools, callConnectorTool, hasBrowser }: MethodDeps): Methods {
  return {
    'tools/list': (_params, { scope }) => {
      const { json } = views.look(scope);
      return mayInspect(scope, { hasBrowser }) ? withInspectTool(json) : json;
    },
    'tools/call': (params, peer) => {
      const { name, args } = readCallParams(params);
      const builtin = builtinTools.get(name);
      return builtin === undefined ? callConnectorTool(name, args, peer) : builtin(isRecord(args) ? args : {}, peer);
    },
    'resources/list': (_params, { scope }) => JSON.stringify({ resources: resources.list(scope) }),
    'resources/templates/list': () => TEMPLATE_LIST,
    'resources/read': async ({ uri }, { scope }) => JSON.stringify(await readResource(resources, uriOf(uri), scope)),
    'prompts/list': () => PROMPT_LIST,
    'prompts/get': (params) => JSON.stringify(getPrompt(params)),
    'completion/complete': (params, { scope }) => JSON.stringify(complete(params, resources.connectorIds(scope))),
  };
}

/** Whoever asks for several resources at once sees from the error which one is missing. */
async function readResource(resources: Resources, uri: string, scope: Scope): Promise<ReadResourceResult> {
  try {
    return await resources.read(uri, scope);
  } catch (error) {
    if (!isForgeError(error, 'not_found') && !isForgeError(error, 'result_not_found')) throw error;
    const { code, message, hint } = error;
    throw new ForgeError(code, message, { hint, details: { uri }, cause: error });
  }
}

/** Connectors are the only thing whose names Forge can offer. */
function complete({ ref, argument }: Params, connectorIds: readonly string[]): CompleteResult {
  if (!isRecord(ref) || !isRecord(argument)) throw new ForgeError('invalid_request', 'ref and argument are required');
  const given = typeof argument['value'] === 'string' ? argument['value'] : '';
  const { uri } = ref;
  const isConnector = typeof uri === 'string' && uri.startsWith('forge://connectors/') && argument['name'] === 'id';
  const values = isConnector ? connectorIds.filter((id) => id.startsWith(given)) : [];
  return {
    completion: {
      values: values.slice(0, MAX_COMPLETIONS),
      total: values.length,
      hasMore: values.length > MAX_COMPLETIONS,
    },
  };
}

function uriOf(uri: unknown): string {
  if (typeof uri === 'string') return uri;
  throw new ForgeError('invalid_request', 'the uri of the resource is missing');
}
