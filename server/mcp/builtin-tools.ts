import { isForgeError } from '../../shared/errors.ts';
import type { ResultStore } from '../results/handles.ts';
import { BUILTIN } from '../tools/catalogue/builtin-definitions.ts';
import { describeTools, findTools, readCall, readResult } from '../tools/catalogue/finders.ts';
import type { ToolViews } from '../tools/catalogue/tool-views.ts';
import { errorContent, textContent } from './call-content.ts';
import type { CallConnectorTool } from './call-tool.ts';
import { inspectForClient, type InspectDeps } from './inspect-tool.ts';
import { readerFor, type WatchSources } from './limited-reading.ts';
import type { Peer } from './peer.ts';

interface BuiltinDeps extends WatchSources, InspectDeps {
  views: ToolViews;
  results: Pick<ResultStore, 'get' | 'read' | 'bytesOf' | 'originOf'>;
  callConnectorTool: CallConnectorTool;
}

type Args = Readonly<Record<string, unknown>>;
type Builtin = (args: Args, peer: Peer) => string | Promise<string>;

/** Forge's own tools by name. What is wrong with their arguments is an answer, as it is with every other tool. */
export function createBuiltinTools(deps: BuiltinDeps): ReadonlyMap<string, Builtin> {
  const tools: [string, Builtin][] = [
    [BUILTIN.search, (args, peer) => textContent(findTools(deps.views.look(peer.scope).tools, args))],
    [BUILTIN.describe, (args, peer) => textContent(describeTools(deps.views.look(peer.scope).tools, args))],
    [
      BUILTIN.call,
      (args, peer) => {
        const call = readCall(args);
        return deps.callConnectorTool(call.tool, call.args, peer, { isListed: false });
      },
    ],
    [BUILTIN.inspect, async (args, peer) => textContent(await inspectForClient(deps, args, peer))],
    [BUILTIN.readResult, async (args, { scope }) => textContent(await readResult(readerFor(deps, scope.limits), args))],
  ];
  return new Map(tools.map(([name, run]) => [name, answering(run)]));
}

function answering(run: Builtin): Builtin {
  return async (args, peer) => {
    try {
      return await run(args, peer);
    } catch (error) {
      if (!isForgeError(error) || error.status >= 500) throw error;
      return errorContent(error);
    }
  };
}
